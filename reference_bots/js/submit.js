#!/usr/bin/env node
'use strict';
// Entering a bot in an arena with an invitation, and asking how it stands. See README.md.

const fs = require('node:fs');
const { parseArgs } = require('node:util');
const { fail, load } = require('./program')('submit.js');
const { ArenaService, grpc, oneLine } = load('./arena');
const { channelCredentials, hint } = load('./tls');

const USAGE = `usage: node submit.js --arena HOST:PORT --token-file FILE --invite CODE --name NAME [--address HOST:PORT]
       node submit.js --arena HOST:PORT --token-file FILE            asks how the bot of that token stands
  --address HOST:PORT  where the arena dials the bot; else it dials in
  --tables N           the most tables at once; else what the bot says
  --variants "A B"     that it plays; else all
  --again              it was not admitted: the token of before is replaced
  --wait               until its trial is over
  --ca FILE, --certificate FILE, --key FILE, --insecure   as for bot.js`;
const OPTIONS = ['arena', 'token-file', 'invite', 'name', 'address', 'tables', 'variants', 'ca', 'certificate', 'key'];
const FLAGS = ['again', 'wait', 'insecure', 'help'];
const CALL_MS = 30_000; // for an answer of the arena
const LOOK_EVERY_MS = 1000;
const [ON_TRIAL, ADMITTED, REFUSED, SUSPENDED] = [1, 2, 3, 4]; // arena.v1.Standing

/** A call that has one answer; what the arena says against it, in one line, ends the program. */
function ask({ client, given }, method, message, metadata = new grpc.Metadata()) {
  return new Promise((resolve) => {
    client[method](message, metadata, { deadline: Date.now() + CALL_MS }, (error, answer) => {
      if (error) {
        const said = oneLine(error.details);
        fail(`the arena refused: ${said}${hint(given.arena, given, said)}`, 1);
      }
      resolve(answer);
    });
  });
}

/** How a bot stands, in words. */
function words({ name, standing, reason, repeat, attemptsLeft }) {
  if (standing === ADMITTED) return `${name} is admitted`;
  if (standing === SUSPENDED) return `${name} is suspended by whoever runs the arena`;
  if (standing === ON_TRIAL) return `${name} is on trial: ${reason}`;
  if (standing !== REFUSED) return `${name} stands in a way that this program does not know (${standing})`;
  return `${name} is refused: ${reason}\nrepeat it: ${repeat}\nit may be submitted again ${attemptsLeft} times`;
}

/** Print how the bot stands, with `wait` until its trial is over; the exit status. */
async function watch(arena, token, wait) {
  const metadata = new grpc.Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  let before = '';
  for (;;) {
    const status = await ask(arena, 'status', {}, metadata);
    const now = words(status);
    if (now !== before) console.log(now);
    before = now;
    if (!wait || status.standing !== ON_TRIAL) return status.standing === REFUSED || status.standing === SUSPENDED ? 1 : 0;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** Submit the bot; its token, which is in the file by then, readable by its owner only. */
async function submit(arena) {
  const { given } = arena;
  const file = given['token-file'];
  const fresh = `${file}.new`;
  if (fs.existsSync(file) && !given.again) fail(`${file} is there already; --again replaces its token`, 1);
  try {
    fs.writeFileSync(fresh, '', { mode: 0o600, flag: 'wx' }); // before the arena is asked: it says the token once
  } catch (error) {
    fail(error.message, 1);
  }
  process.on('exit', () => fs.rmSync(fresh, { force: true }));
  const { invite, name, address = '', tables = '0', variants = '' } = given;
  const asked = { invite, name, address, tables: Number(tables), variants: variants.split(/[ ,]+/).filter(Boolean) };
  const admission = await ask(arena, 'submit', { ...asked, software: 'javascript 1.0' });
  fs.writeFileSync(fresh, `${admission.token}\n`);
  fs.renameSync(fresh, file);
  console.log(`${admission.name} is entered, and on trial; its token is in ${file}, readable by you only`);
  console.log(`start it now: node bot.js ${address ? `--serve ${address}` : `--arena ${given.arena}`} --token-file ${file}`);
  return admission.token;
}

async function main() {
  const options = Object.fromEntries([
    ...OPTIONS.map((name) => [name, { type: 'string' }]),
    ...FLAGS.map((name) => [name, { type: 'boolean', default: false }]),
  ]);
  let given;
  try {
    given = parseArgs({ options }).values;
  } catch (error) {
    fail(error.message.split('\n')[0], 2);
  }
  if (given.help) {
    console.log(USAGE);
    return;
  }
  if (!given.arena || !given['token-file']) fail('give --arena HOST:PORT and --token-file FILE', 2);
  if ((given.invite === undefined) !== (given.name === undefined)) fail('--invite and --name go together', 2);
  if (!/^\d+$/.test(given.tables ?? '0')) fail(`--tables is a whole number, not ${given.tables}`, 2);
  let client;
  try {
    client = new ArenaService(given.arena, channelCredentials(given.arena, given));
  } catch (error) {
    fail(`no TLS: ${error.message}`, 2);
  }
  let token;
  if (given.invite !== undefined) {
    token = await submit({ client, given });
    if (!given.wait) process.exit(0);
  } else {
    try {
      token = fs.readFileSync(given['token-file'], 'utf8').split('\n')[0].trim();
    } catch (error) {
      fail(`cannot read the token: ${error.message}`, 2);
    }
  }
  process.exit(await watch({ client, given }, token, given.wait));
}

main();
