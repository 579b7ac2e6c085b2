'use strict';
// Certificates, and where a bot may do without: on the machine itself, or where it is told to with --insecure.
// A token is sent as it is, and hands are nobody else's business.

const fs = require('node:fs');
const net = require('node:net');
const { grpc } = require('./arena');

/** Whether the host of "HOST:PORT", as it is written, is this machine and nothing else. */
function isLoopback(address) {
  const host = address.slice(0, address.lastIndexOf(':')).replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || (net.isIPv4(host) && host.startsWith('127.'));
}

const read = (file) => (file === undefined ? null : fs.readFileSync(file));

const isPlain = (address, { ca, certificate, insecure }) =>
  insecure || (isLoopback(address) && ca === undefined && certificate === undefined);

/** To dial in with. `ca` says who signed the arena's certificate; without it, it is whom Node trusts. */
function channelCredentials(address, given) {
  if (isPlain(address, given)) return grpc.credentials.createInsecure();
  const { ca, certificate, key } = given;
  return grpc.credentials.createSsl(read(ca), read(key), read(certificate));
}

/** To serve with. With `ca`, only an arena with a certificate that it signed may call. */
function serverCredentials(address, { ca, certificate, key, insecure }) {
  if (insecure) return grpc.ServerCredentials.createInsecure();
  if (certificate !== undefined) {
    const own = { cert_chain: read(certificate), private_key: read(key) };
    return grpc.ServerCredentials.createSsl(read(ca), [own], ca !== undefined);
  }
  if (isLoopback(address)) return grpc.ServerCredentials.createInsecure();
  throw new Error(`other machines reach ${address}: give --certificate and --key, or allow it with --insecure`);
}

/**
 * What may be the cause, to be added to what grpc-js says of a dial; '' where it came to a call, or none is likely. The
 * other side, which would know, has said nothing.
 */
function hint(address, given, said) {
  if (!said.startsWith('No connection established')) return '';
  if (/self.signed|unable to (get|verify)/.test(said)) return "; --ca FILE names who signed the arena's certificate";
  if (said.includes('wrong version number')) {
    const drop = isLoopback(address) ? 'leave out --ca and --certificate' : '--insecure dials so, in the clear';
    return `; perhaps the arena speaks without TLS: ${drop}`;
  }
  if (!said.includes('Failed to connect') && !said.includes('ECONNRESET')) return ''; // nobody has taken the connection
  if (isPlain(address, given)) {
    const without = given.insecure ? ', without --insecure' : '';
    return `; perhaps the arena speaks TLS: give --ca FILE, with who signed its certificate${without}`;
  }
  if (given.certificate !== undefined) return '';
  return '; perhaps the arena wants a certificate of the bot: give --certificate and --key';
}

module.exports = { channelCredentials, hint, serverCredentials };
