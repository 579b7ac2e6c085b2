'use strict';
// Standard health checking, for whoever looks after a bot that serves: it says that the process is there, to anybody,
// and nothing about what it plays.

const path = require('node:path');
const protoLoader = require('@grpc/proto-loader');
const { grpc } = require('./arena');

const definition = protoLoader.loadSync(path.join(__dirname, 'health.proto'), { enums: String, defaults: true });
const { Health } = grpc.loadPackageDefinition(definition).grpc.health.v1;
const SERVICES = new Set(['', 'arena.v1.BotService']);

/** Add the service to a server. */
function addHealth(server) {
  server.addService(Health.service, {
    check({ request: { service } }, answer) {
      if (SERVICES.has(service)) answer(null, { status: 'SERVING' });
      else answer({ code: grpc.status.NOT_FOUND, details: 'no such service here' });
    },
  });
}

module.exports = { addHealth };
