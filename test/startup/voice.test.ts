import { createLogger } from '../../src/kernel/logging';
import { createVoice } from '../../src/startup/voice';

const FACTS = {
  mode: 'sandbox',
  seconds: 6.12,
  api: 'http://127.0.0.1:8080',
  desk: 'http://127.0.0.1:8091',
  temporalUi: 'http://127.0.0.1:8233',
  metrics: 'http://127.0.0.1:9464/metrics',
  chain: 'http://127.0.0.1:8545',
  credentials: '/srv/.data/credentials.json',
} as const;

function voice(terminal: boolean, level = 'warn') {
  const out: string[] = [];
  const write = (text: string) => void out.push(text);
  return {
    out,
    voice: createVoice({ terminal, write, log: createLogger({ level, destination: { write } }) }),
  };
}

it('starts in nine lines on a terminal', () => {
  const { out, voice: told } = voice(true);
  told.say('Starting Postgres, Temporal and the local chain in .data');
  told.ready(FACTS);
  const lines = out.join('').trimEnd().split('\n');
  expect(lines).toHaveLength(9);
  expect(lines[1]).toBe(
    'Cardwright is ready (sandbox, after 6.1 s). Try it: npm run demo, in another terminal. Stop it: Ctrl-C',
  );
  for (const fact of [
    FACTS.api,
    `${FACTS.api}/docs`,
    FACTS.desk,
    FACTS.temporalUi,
    FACTS.chain,
    FACTS.metrics,
    FACTS.credentials,
  ])
    expect(lines.filter((line) => line.endsWith(` ${fact}`))).toHaveLength(1);
});

it('prints the same in JSON without a terminal, whatever the log level', () => {
  const { out, voice: told } = voice(false);
  told.say('Stopping');
  told.ready({ ...FACTS, chain: null });
  expect(out.map((line) => JSON.parse(line))).toEqual([
    { level: 'info', time: expect.any(String), msg: 'Stopping' },
    {
      level: 'info',
      time: expect.any(String),
      msg: 'Cardwright is ready',
      ...FACTS,
      chain: null,
      documentation: `${FACTS.api}/docs`,
    },
  ]);
});

it('is silent when the log is', () => {
  const { out, voice: told } = voice(false, 'silent');
  told.say('Stopping');
  expect(out).toEqual([]);
});
