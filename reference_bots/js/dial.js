'use strict';
// Dialling in to the arena, and again when the connection is lost. This is the usual way, also from behind a router.

const { ArenaService, CHANNEL, Conversation, grpc, hello, oneLine } = require('./arena');

const PAUSE_MS = [100, 2000]; // the shortest and the longest before we dial again
const SILENCE_MS = 60_000; // the arena pings every few seconds; without any frame for so long, the connection is dead
const PERMANENT = new Set([
  grpc.status.UNAUTHENTICATED, // the token
  grpc.status.PERMISSION_DENIED,
  grpc.status.INVALID_ARGUMENT, // something in our Hello
  grpc.status.FAILED_PRECONDITION, // the version
  grpc.status.UNIMPLEMENTED, // that is no arena
  grpc.status.ABORTED, // another process has our token: dialling again would take its place, and it ours, for ever
]);

/** The arena does not want us, or is not there. The message is one line. */
class Refused extends Error {}

/** One stream, from Hello to its end. Resolves to its status; `welcomed` is called when the arena lets us in. */
function playOnce({ address, token, tables, software, credentials }, welcomed) {
  // A channel of its own for each attempt: grpc-js would keep one that failed, and pause as long as it likes.
  const client = new ArenaService(address, credentials, { ...CHANNEL, 'grpc.use_local_subchannel_pool': 1 });
  const metadata = new grpc.Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  const call = client.play(metadata);
  const conversation = new Conversation((frame) => call.write(frame));
  const watch = setTimeout(() => call.cancel(), SILENCE_MS);
  return new Promise((resolve) => {
    call.on('data', (frame) => {
      watch.refresh();
      for (const { kind, welcome } of frame.messages) {
        if (kind === 'welcome') welcomed(welcome);
      }
      conversation.receive(frame);
    });
    call.on('error', () => {}); // 'status' says the same, and comes for a good end too
    call.on('status', (status) => {
      clearTimeout(watch);
      client.close();
      resolve(status);
    });
    call.write(hello(tables, software));
  });
}

/**
 * Play until the arena, once reached, has been out of reach for `patience` seconds; resolves to the reason in one line.
 * Rejects with `Refused` where it does not want us or was never there; then `hint` adds what may be the cause.
 */
async function play(bot) {
  let known = false; // the arena has let us in before
  let alive = Date.now();
  let pause = PAUSE_MS[0];
  for (;;) {
    let greeted = false;
    const status = await playOnce(bot, (welcome) => {
      known = greeted = true;
      pause = PAUSE_MS[0];
      console.error(`playing as ${welcome.name} in ${welcome.league}, at up to ${welcome.tables} tables`);
    });
    let reason = oneLine(status.details || 'the stream ended');
    if (!known) reason += bot.hint(reason);
    if (PERMANENT.has(status.code)) throw new Refused(`the arena at ${bot.address} refused: ${reason}`);
    if (greeted) alive = Date.now();
    if (Date.now() - alive >= bot.patience * 1000) {
      const said = `the arena at ${bot.address} is out of reach for ${bot.patience} s: ${reason}`;
      if (known) return said;
      throw new Refused(said);
    }
    // Longer and longer, and not all bots at the same moment.
    const wait = pause * (0.5 + Math.random());
    await new Promise((resolve) => setTimeout(resolve, wait));
    pause = Math.min(2 * pause, PAUSE_MS[1]);
  }
}

module.exports = { Refused, play };
