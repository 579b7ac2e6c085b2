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

/** To dial in with. `ca` says who signed the arena's certificate; without it, it is whom Node trusts. */
function channelCredentials(address, { ca, certificate, key, insecure }) {
  const plain = isLoopback(address) && ca === undefined && certificate === undefined;
  if (insecure || plain) return grpc.credentials.createInsecure();
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

module.exports = { channelCredentials, serverCredentials };
