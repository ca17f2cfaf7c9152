import { createTemporalClient, type TemporalClient } from '../../../src/kernel/temporal/connection';
import { recordKindOf, registerSearchAttributes } from '../../../src/kernel/temporal/search-attributes';
import { tellTemporal } from '../../../src/kernel/temporal/send-command';
import { testKeyring } from '../../support/keyring';
import { startTestTemporal } from '../../support/servers';

let temporal: TemporalClient;
let server: Awaited<ReturnType<typeof startTestTemporal>>;

beforeAll(async () => {
  server = await startTestTemporal();
  const options = { address: server.address, namespace: 'default', encrypt: false };
  temporal = createTemporalClient(options, testKeyring());
}, 1_200_000);
afterAll(async () => {
  await temporal.close();
  await server.stop();
});

const tell = (workflowId: string, namespace?: TemporalClient) =>
  tellTemporal((namespace ?? temporal).client, {
    workflow: 'waits',
    workflowId,
    taskQueue: 'nobody',
    action: 'look',
    args: [],
    tenantId: 'cli_01h455vb4pex5vsknk084sn02q',
  });
const tenantOf = async (workflowId: string) =>
  (await temporal.client.workflow.getHandle(workflowId).describe()).searchAttributes['Tenant'];

it('starts workflows on a server that lacks the search attributes, and registers them there', async () => {
  expect(await tell('unregistered')).toEqual({ outcome: 'taken' });
  expect(await tenantOf('unregistered')).toBeUndefined();
  await registerSearchAttributes(temporal.client);
  await registerSearchAttributes(temporal.client);
  // The server caches the attributes for a while.
  let attempt = 0;
  do {
    attempt += 1;
    expect(await tell(`registered-${attempt}`)).toEqual({ outcome: 'taken' });
  } while ((await tenantOf(`registered-${attempt}`)) === undefined);
  expect(await tenantOf(`registered-${attempt}`)).toEqual(['cli_01h455vb4pex5vsknk084sn02q']);
});

it('blames Temporal, not the command, for a missing namespace', async () => {
  const options = { address: server.address, namespace: 'elsewhere', encrypt: false };
  const elsewhere = createTemporalClient(options, testKeyring());
  expect(await tell('homeless', elsewhere)).toMatchObject({ outcome: 'away' });
  expect(await elsewhere.isServing()).toBe(false);
  await elsewhere.close();
});

it.each([
  ['card-issuance-card_01h455vb4pex5vsknk084sn02q', 'card'],
  ['webhook-recovery-cli_01h455vb4pex5vsknk084sn02q-card', 'tenant'],
  ['webhook-dispatcher-3', undefined],
  ['unknown-xyz_01h455vb4pex5vsknk084sn02q', undefined],
])('reads the kind of record from %s', (workflowId, kind) => {
  expect(recordKindOf(workflowId)).toBe(kind);
});
