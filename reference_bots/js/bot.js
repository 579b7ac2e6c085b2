#!/usr/bin/env node
'use strict';
// The command line of the bot. See README.md.

const fs = require('node:fs');
const { parseArgs } = require('node:util');
const { fail, load } = require('./program')('bot.js');

const SOFTWARE = 'javascript 1.0';
const USAGE = `usage: node bot.js --arena HOST:PORT | --serve HOST:PORT  --token-file FILE [--tables N] [--patience S]
  --arena HOST:PORT   dial in to the arena there; else ARENA_ADDRESS
  --serve HOST:PORT   be dialled by the arena: listen there
  --token-file FILE   its first line is the bot's token; else ARENA_TOKEN
  --tables N          play at up to N tables at once (default 8)
  --patience S        seconds to wait for a lost arena (default 30)
  --ca FILE           who signed the other side's certificate, in PEM
  --certificate FILE  the bot's own certificate, in PEM
  --key FILE          the key of that certificate, in PEM
  --insecure          without TLS, also where others may listen`;

function readArguments() {
  try {
    return parseArgs({
      options: {
        arena: { type: 'string' },
        serve: { type: 'string' },
        'token-file': { type: 'string' },
        tables: { type: 'string', default: '8' },
        patience: { type: 'string', default: '30' },
        ca: { type: 'string' },
        certificate: { type: 'string' },
        key: { type: 'string' },
        insecure: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return fail(error.message.split('\n')[0], 2);
  }
}

function readToken(file) {
  let token = process.env.ARENA_TOKEN ?? '';
  if (file !== undefined) {
    try {
      token = fs.readFileSync(file, 'utf8').split('\n')[0].trim();
    } catch (error) {
      fail(`cannot read the token: ${error.message}`, 2);
    }
  }
  if (!/^[\x20-\x7e]+$/.test(token)) fail('no token: give --token-file FILE, or set ARENA_TOKEN; one line of text', 2);
  return token;
}

function readNumber(name, text, least, most) {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  return fail(`--${name} is a whole number from ${least} to ${most}, not ${text}`, 2);
}

async function main() {
  const given = readArguments();
  if (given.help) {
    console.log(USAGE);
    return;
  }
  const bot = {
    token: readToken(given['token-file']),
    tables: readNumber('tables', given.tables, 1, 1024),
    software: SOFTWARE,
  };
  const patience = readNumber('patience', given.patience, 0, 1e6);
  const serving = given.serve !== undefined;
  if (serving && given.arena !== undefined) fail('either --arena or --serve', 2);
  const address = given.serve ?? given.arena ?? process.env.ARENA_ADDRESS;
  if (!address) fail('no arena: give --arena HOST:PORT, or set ARENA_ADDRESS', 2);
  if ((given.certificate === undefined) !== (given.key === undefined)) fail('--certificate and --key go together', 2);

  const { channelCredentials, hint, serverCredentials } = load('./tls');
  let credentials;
  try {
    credentials = (serving ? serverCredentials : channelCredentials)(address, given);
  } catch (error) {
    fail(`no TLS: ${error.message}`, 2);
  }
  if (serving) {
    const { serve } = load('./serve');
    await serve({ address, credentials, ...bot }).catch((error) => fail(error.message, 2));
    return; // the process lives as long as its server
  }
  const { play, Refused } = load('./dial');
  try {
    const reason = await play({ address, patience, credentials, hint: (said) => hint(address, given, said), ...bot });
    console.error(`bot.js: ${reason}`);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    fail(error.message, 1);
  }
}

main();
