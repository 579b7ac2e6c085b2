'use strict';
// The arena's messages, and what a bot says to them. It does not matter here who has dialled whom.

const path = require('node:path');
const grpc = require('@grpc/grpc-js');
const protoLoader = require('@grpc/proto-loader');
const { choose } = require('./cards');

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
const MESSAGES = 1000; // in one frame; the arena allows a few more
const FRAME_BYTES = 4 * 1024 * 1024; // of a frame from the arena
const CHANNEL = { 'grpc.max_receive_message_length': FRAME_BYTES };

/** What a bot says first. */
function hello(tables, software) {
  const said = { oldestVersion: VERSION, newestVersion: VERSION, tables, software, variants: [] };
  return { messages: [{ hello: said }] };
}

/**
 * Answer a frame: pongs at once, then all questions in it together. `send` takes a BotFrame.
 *
 * Choosing takes microseconds here. A bot that thinks for long has to do it in a worker thread, or its pongs will be
 * late: JavaScript does one thing at a time.
 */
function answer(frame, send) {
  const pongs = [];
  const answers = [];
  for (const message of frame.messages) {
    if (message.kind === 'ping') pongs.push({ pong: { nonce: message.ping.nonce } });
  }
  if (pongs.length > 0) send({ messages: pongs });
  for (const message of frame.messages) {
    if (message.kind === 'question') {
      const cards = choose(message.question);
      // To what we do not know we say nothing: the arena plays for us.
      if (cards !== null) answers.push({ answer: { decision: message.question.decision, cards } });
    } else if (message.kind === 'rejection' && message.rejection.tries > 0) {
      // An answer was refused. Our own choice would be the same again: the legal cards that came with it are a way out.
      const { decision, clause, message: said, legal } = message.rejection;
      console.error(`refused: ${clause} ${said}`);
      answers.push({ answer: { decision, cards: legal.slice(0, countOf(frame, legal)) } });
    }
  }
  for (let at = 0; at < answers.length; at += MESSAGES) send({ messages: answers.slice(at, at + MESSAGES) });
}

module.exports = { ArenaService, BotService, CHANNEL, answer, grpc, hello };
