import { setTimeout as sleep } from 'node:timers/promises';
import { PartyAway } from '../../src/process/party-errors';
import { createPartyGate, PartyBusy } from '../../src/process/party-gate';

/** A gate whose clock the test moves. Calls that take "long" move it while they run. */
function gateAt() {
  const clock = { ms: 0 };
  return { gate: createPartyGate({ now: () => clock.ms }), clock };
}

const away = () => Promise.reject(new PartyAway());
const works = () => Promise.resolve('done');
const hanging = () => {
  let end: (value: string) => void = () => undefined;
  const answer = new Promise<string>((resolve) => {
    end = resolve;
  });
  return { work: () => answer, end: () => end('late') };
};

it('lets calls of an answering party through, with their errors', async () => {
  const { gate } = gateAt();
  expect(await gate.inPassing('bank', works)).toBe('done');
  await expect(gate.inPassing('bank', () => Promise.reject(new Error('ours')))).rejects.toThrow('ours');
  expect(await gate.inPassing('bank', works)).toBe('done');
});

it('opens the circuit of a party for five seconds after three consecutive failures', async () => {
  const { gate, clock } = gateAt();
  for (let time = 0; time < 3; time += 1)
    await expect(gate.inPassing('bank', away)).rejects.toThrow(PartyAway);
  await expect(gate.inPassing('bank', works)).rejects.toThrow(PartyBusy);
  expect(await gate.inPassing('payouts', works)).toBe('done');
  clock.ms = 4_999;
  await expect(gate.inPassing('bank', works)).rejects.toThrow(PartyBusy);
  clock.ms = 5_000;
  expect(await gate.inPassing('bank', works)).toBe('done');
  expect(await gate.inPassing('bank', works)).toBe('done');
});

it('lets one trial call through after that time, and opens again when it fails', async () => {
  const { gate, clock } = gateAt();
  for (let time = 0; time < 3; time += 1) await gate.inPassing('bank', away).catch(() => undefined);
  clock.ms = 6_000;
  const { work, end } = hanging();
  const trial = gate.inPassing('bank', work);
  await expect(gate.inPassing('bank', works)).rejects.toThrow(PartyBusy);
  end();
  await trial;
  await gate.inPassing('bank', away).catch(() => undefined);
  clock.ms = 6_001;
  expect(await gate.inPassing('bank', works)).toBe('done');
});

it('closes the circuit after a successful patient call', async () => {
  const { gate } = gateAt();
  for (let time = 0; time < 3; time += 1) await gate.inPassing('bank', away).catch(() => undefined);
  await gate.patiently('bank', works);
  expect(await gate.inPassing('bank', works)).toBe('done');
});

it('runs twelve calls at once; further calls wait briefly', async () => {
  const { gate } = gateAt();
  const calls = Array.from({ length: 12 }, hanging);
  const running = calls.map(({ work }) => gate.inPassing('bank', work));
  await expect(gate.inPassing('bank', works)).rejects.toThrow(PartyBusy);
  const waits = gate.inPassing('bank', works);
  calls[3]?.end();
  expect(await waits).toBe('done');
  for (const { end } of calls) end();
  await Promise.all(running);
  expect(await gate.inPassing('bank', works)).toBe('done');
});

it('counts a hanging call as a failure', async () => {
  const gate = createPartyGate();
  const calls = Array.from({ length: 3 }, hanging);
  const running = calls.map(({ work }) => gate.inPassing('bank', work));
  await sleep(1_200); // longer than the limit of a quick attempt
  await expect(gate.inPassing('bank', works)).rejects.toThrow(PartyBusy);
  for (const { end } of calls) end();
  await Promise.all(running);
});

it('reports once when the circuit of a party opens, and once when it closes', async () => {
  const told: [string, boolean][] = [];
  const clock = { ms: 0 };
  const observe = (party: string, closed: boolean) => void told.push([party, closed]);
  const gate = createPartyGate({ now: () => clock.ms, observe });
  for (let time = 0; time < 5; time += 1) await gate.patiently('bank', away).catch(() => undefined);
  expect(told).toEqual([['bank', true]]);
  clock.ms = 10_000;
  await gate.inPassing('bank', works);
  await gate.inPassing('bank', works);
  expect(told).toEqual([
    ['bank', true],
    ['bank', false],
  ]);
});
