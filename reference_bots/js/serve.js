'use strict';
// Being dialled by the arena: the bot is the gRPC server. The conversation is the same as in dial.js; what is added is
// that both sides have to prove who they are, for anybody may call here.

const { BotService, CHANNEL, Conversation, grpc, hello } = require('./arena');
const { addHealth } = require('./health');
const { helloProof, newNonce, readNonce, same, welcomeProof } = require('./proofs');

const UNPROVED_MS = 10_000; // a caller has so long to prove that it is our arena …
const UNPROVED_CALLS = 8; // … and no more than so many may try at once
const ALIVE_MS = 15_000; // since its last frame an arena is taken to be there, and the bot is not given to another
const SILENCE_MS = 60_000; // the arena pings every few seconds; without any frame for so long, it is gone

/**
 * A server's calls: at most one is the arena's, the others are still to prove it. Another arena with the same token (its
 * author's `arena check`) does not get the bot while it plays; the same one does, for it has lost its call.
 */
class Service {
  constructor({ token, tables, software }) {
    this.token = token;
    this.tables = tables;
    this.software = software;
    this.current = null; // the arena's call
    this.unproved = new Set();
  }

  /** BotService.Play: one call. grpc-js has bound nothing to `this`, so it is an arrow function. */
  play = (call) => {
    const arenaNonce = readNonce(call.metadata.get('arena-nonce')[0]);
    const instance = String(call.metadata.get('arena-instance')[0] ?? '');
    const refuse = (code, details) => call.emit('error', { code, details }); // this is how grpc-js ends a stream
    call.on('error', () => {});
    if (arenaNonce === null) {
      refuse(grpc.status.INVALID_ARGUMENT, 'arena-nonce must be 32 to 128 hexadecimal digits');
    } else if (this.isTaken(instance)) {
      refuse(grpc.status.RESOURCE_EXHAUSTED, 'this bot plays for another arena at this time');
    } else if (this.unproved.size >= UNPROVED_CALLS) {
      refuse(grpc.status.RESOURCE_EXHAUSTED, 'too many callers have not proved that they are the arena');
    } else {
      this.converse(call, arenaNonce, instance, refuse);
    }
  };

  isTaken(instance) {
    const { current } = this;
    if (!current?.instance || !instance || current.instance === instance) return false;
    return performance.now() - current.heardAt < ALIVE_MS;
  }

  converse(call, arenaNonce, instance, refuse) {
    const ourNonce = newNonce();
    const conversation = new Conversation((frame) => call.write(frame));
    const mine = { instance, heardAt: 0, end: (code, details) => finish(() => refuse(code, details)) };
    let over = false;
    let watch = setTimeout(() => mine.end(grpc.status.DEADLINE_EXCEEDED, 'no Welcome in time'), UNPROVED_MS);

    const finish = (how) => {
      if (over) return;
      over = true;
      clearTimeout(watch);
      this.unproved.delete(mine);
      if (this.current === mine) this.current = null;
      how();
    };
    this.unproved.add(mine);
    call.on('cancelled', () => finish(() => {}));
    call.on('end', () => finish(() => call.end()));
    call.on('data', (frame) => {
      if (over) return;
      if (this.current !== mine) {
        // The first frame. Nothing that it says is done before its Welcome is proved.
        const [first] = frame.messages;
        const given = first?.kind === 'welcome' ? first.welcome.proof : Buffer.alloc(0);
        if (!same(given, welcomeProof(this.token, ourNonce))) {
          mine.end(grpc.status.UNAUTHENTICATED, 'the first message must be a Welcome with the right proof');
          return;
        }
        this.unproved.delete(mine);
        this.current?.end(grpc.status.ABORTED, 'replaced by a newer call of the arena');
        this.current = mine;
        clearTimeout(watch);
        watch = setTimeout(() => mine.end(grpc.status.DEADLINE_EXCEEDED, 'the arena is silent'), SILENCE_MS);
        console.error(`playing as ${first.welcome.name} in ${first.welcome.league}`);
      }
      watch.refresh();
      mine.heardAt = performance.now();
      conversation.receive(frame);
      for (const { kind, goodbye } of frame.messages) {
        if (kind === 'goodbye') {
          console.error(`the arena says goodbye: ${goodbye.reason}`);
          finish(() => call.end());
        }
      }
    });
    const proofs = { nonce: ourNonce, proof: helloProof(this.token, arenaNonce) };
    call.write(hello(this.tables, this.software, proofs));
  }
}

/** Serve at "HOST:PORT" (port 0: any that is free) until the process is told to end. Resolves to the server. */
function serve({ address, credentials, ...bot }) {
  const server = new grpc.Server(CHANNEL);
  server.addService(BotService.service, { play: new Service(bot).play });
  addHealth(server);
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => {
      if (error) return reject(error);
      console.error(`serving on ${address.slice(0, address.lastIndexOf(':'))}:${port}`);
      return resolve(server);
    });
  });
}

module.exports = { serve };
