import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApi } from '../../src/composition';
import { createLogger } from '../../src/kernel/logging';
import { authorizationFor } from '../../src/parties/protocol/signature';
import { partyPath, partySecret } from '../../src/parties/sandbox/mount';
import { testApi } from '../support/api';

it('logs calls of clients, and the product’s own calls at debug only and in no histogram', async () => {
  const lines: { level: string; msg: string; route: string }[] = [];
  const log = createLogger({
    level: 'debug',
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  const observed: string[] = [];
  const api = await testApi({ log });
  const handle = createApi(api.services, { observe: ({ route }) => void observed.push(route) }).callback();
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const authorization = authorizationFor(partySecret(api.services.keyring, 'bank'));
  lines.length = 0;

  await fetch(`${url}/health`);
  await fetch(`${url}/health/ready`);
  await fetch(`${url}${partyPath('bank')}/changes`, { headers: { authorization } });
  await fetch(`${url}/v1/accounts`);
  await fetch(`${url}${partyPath('checkout')}/pages/cs_unknown`); // a payer's browser is another caller

  const requests = lines.filter(({ msg }) => msg === 'request').map(({ level, route }) => [level, route]);
  expect(requests).toEqual(
    expect.arrayContaining([
      ['debug', '/health'],
      ['debug', '/health/ready'],
      ['debug', `${partyPath('bank')}/*`],
      ['info', expect.stringMatching(/none|accounts/)],
      ['info', `${partyPath('checkout')}/*`],
    ]),
  );
  expect(requests.filter(([level]) => level === 'info')).toHaveLength(2);
  expect(observed).toHaveLength(2);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await api.close();
});
