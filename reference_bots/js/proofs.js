'use strict';
// How the arena and a bot that it has dialled prove to each other that they know the same token, without saying it.
// docs/protocol.md, "Proofs".

const crypto = require('node:crypto');

const NONCE = /^(?:[0-9a-fA-F]{2}){16,64}$/; // 32 to 128 hexadecimal digits

const keyOf = (token) => crypto.createHash('sha256').update(token, 'utf8').digest();

function proof(token, text, nonce) {
  return crypto.createHmac('sha256', keyOf(token)).update(text, 'ascii').update(nonce).digest();
}

/** What we say in Hello to the nonce that the arena has sent. */
const helloProof = (token, arenaNonce) => proof(token, 'hearts-arena/hello', arenaNonce);

/** What the arena has to say in Welcome to the nonce in our Hello. */
const welcomeProof = (token, ourNonce) => proof(token, 'hearts-arena/welcome', ourNonce);

/** Compares in a time that does not tell how much of it was right. */
const same = (given, wanted) => given.length === wanted.length && crypto.timingSafeEqual(given, wanted);

/** The bytes of "arena-nonce"; null where it is not what it should be. */
const readNonce = (text) => (typeof text === 'string' && NONCE.test(text) ? Buffer.from(text, 'hex') : null);

/** New bytes that nobody can foresee. */
const newNonce = () => crypto.randomBytes(32);

module.exports = { helloProof, newNonce, readNonce, same, welcomeProof };
