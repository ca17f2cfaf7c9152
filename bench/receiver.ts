import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An endpoint that reads each webhook to its end and answers 204; a process of its own, asked for its count by message. */
let received = 0;

const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => {
    received += 1;
    response.writeHead(204).end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => process.send?.({ received }));
