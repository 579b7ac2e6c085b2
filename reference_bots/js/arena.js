'use strict';
// The arena's messages, and what a bot says to them. It does not matter here who has dialled whom.

const path = require('node:path');
const grpc = require('@grpc/grpc-js');
const protoLoader = require('@grpc/proto-loader');
const { choose, lowest } = require('./cards');

// The contract is read as it is; nothing is generated.
const ROOT = path.join(__dirname, '..', '..', 'proto');
const definition = protoLoader.loadSync('arena/v1/arena.proto', {
  includeDirs: [ROOT],
  longs: String, // 64-bit numbers, such as Question.decision, do not fit in a JavaScript number: they stay text
  defaults: true, // a field that was not sent has its default; a message that was not sent is null
  arrays: true, // a list that was not sent is []
  oneofs: true, // message.kind says which one was sent: "question", "ping", … or nothing that we know
  // Enums stay numbers, so that values of a future arena are read too.
});
const { ArenaService, BotService } = grpc.loadPackageDefinition(definition).arena.v1;

const VERSION = 1; // of the protocol
const STALE = 4; // of the enum Reason
const MESSAGES = 1000; // in one frame; the arena allows a few more
const FRAME_BYTES = 4 * 1024 * 1024; // of a frame from the arena
const CHANNEL = { 'grpc.max_receive_message_length': FRAME_BYTES };

/** What a bot says first. `proofs` are Hello's nonce and proof, where the arena has dialled. */
function hello(tables, software, proofs = {}) {
  const said = { oldestVersion: VERSION, newestVersion: VERSION, tables, software, ...proofs };
  return { messages: [{ hello: said }] };
}

/** One stream, from its first frame to its last: what comes in, and what we say to it. */
class Conversation {
  /** `send` takes a BotFrame. */
  constructor(send) {
    this.send = send;
    this.open = new Map(); // questions that we have answered and that may come back refused, by decision
  }

  /**
   * A frame from the arena: pongs go back at once, then the answers to all of its questions together.
   *
   * Choosing takes microseconds here. A bot that thinks for long has to do it in a worker thread, or its pongs will be
   * late: JavaScript does one thing at a time.
   */
  receive(frame) {
    const pongs = [];
    const answers = [];
    for (const { kind, ping } of frame.messages) {
      if (kind === 'ping') pongs.push({ pong: { nonce: ping.nonce } });
    }
    this.say(pongs);
    for (const decision of frame.accepted) this.open.delete(decision);
    // A question that comes again, and one answer to it was refused before the connection was lost: the next is the last.
    const refused = new Set();
    for (const { kind, rejection } of frame.messages) {
      if (kind === 'rejection' && rejection.tries > 0) refused.add(rejection.decision);
    }
    for (const message of frame.messages) {
      if (message.kind === 'question' && refused.has(message.question.decision)) {
        this.open.set(message.question.decision, message.question);
      } else if (message.kind === 'question') {
        const began = performance.now();
        const cards = choose(message.question);
        const thoughtUs = Math.max(1, Math.round(1000 * (performance.now() - began)));
        this.answer(message.question, cards, answers, thoughtUs);
      }
      if (message.kind === 'rejection') this.refused(message.rejection, answers);
    }
    this.say(answers);
  }

  /** `thoughtUs` is for the arena's note of a fault: how long we took to choose; 0 where we did not. */
  answer(question, cards, answers, thoughtUs = 0) {
    if (cards === null) return; // we do not know what is asked: the arena will play for us
    this.open.set(question.decision, question);
    answers.push({ answer: { decision: question.decision, cards, thoughtUs } });
  }

  /** An answer of ours did not count. Another try gets what the arena itself would play: the lowest legal cards. */
  refused({ decision, reason, clause, message, tries, legal }, answers) {
    if (reason === STALE) return; // answered twice, after a lost connection: the other one is judged
    const question = this.open.get(decision);
    this.open.delete(decision);
    if (question === undefined) return; // asked on a connection before this one, and closed
    console.error(`refused: ${message.startsWith(clause) ? '' : `${clause} `}${message}`);
    if (tries > 0) this.answer(question, lowest(legal, question.count), answers);
  }

  say(messages) {
    for (let at = 0; at < messages.length; at += MESSAGES) {
      this.send({ messages: messages.slice(at, at + MESSAGES) });
    }
  }
}

/** What a status says, in one line, without the heading of a note that grpc-js leaves empty. */
const oneLine = (details) => details.replace(/\s+/g, ' ').replace(/\.? Resolution note: ?$/, '').trim();

module.exports = { ArenaService, BotService, CHANNEL, Conversation, grpc, hello, oneLine };
