import type { Logger } from 'pino';

/** Addresses of a process that is ready. */
export interface ReadyFacts {
  mode: 'sandbox' | 'live';
  /** Seconds since the start of the process. */
  seconds: number;
  /** Address of the API, without a trailing slash. */
  api: string;
  /** Address of the desk, for operators. */
  desk: string;
  temporalUi: string | null;
  metrics: string;
  /** Address of the local chain's node. Null when none runs. */
  chain: string | null;
  /** Absent without demo tenants. */
  credentials?: string | undefined;
}

/** Announcements of the process, printed at every log level. */
export interface Voice {
  say(line: string, fields?: Record<string, unknown>): void;
  ready(facts: ReadyFacts): void;
}

interface VoiceOptions {
  /** Text for a person at a terminal. Otherwise JSON lines of the log. */
  terminal: boolean;
  log: Logger;
  write?: (text: string) => void;
}

export function createVoice({ terminal, log, write = writeOut }: VoiceOptions): Voice {
  if (terminal) return { say: (line) => write(`${line}\n`), ready: (facts) => write(banner(facts)) };
  const announcing = log.child({}, { level: log.level === 'silent' ? 'silent' : 'info' });
  return {
    say: (line, fields = {}) => announcing.info(fields, line),
    ready: (facts) =>
      announcing.info({ ...facts, documentation: documentationOf(facts) }, 'Cardwright is ready'),
  };
}

function writeOut(text: string): void {
  process.stdout.write(text);
}

const documentationOf = ({ api }: ReadyFacts): string => `${api}/docs`;

function banner(facts: ReadyFacts): string {
  const { mode, seconds, api, desk, temporalUi, chain, metrics, credentials } = facts;
  const lines: [string, string | null | undefined][] = [
    ['API', api],
    ['Documentation', documentationOf(facts)],
    ['Desk', desk],
    ['Temporal UI', temporalUi ?? 'as configured'],
    ['Local chain', chain],
    ['Metrics', metrics],
    ['Credentials', credentials],
  ];
  const told = lines.flatMap(([name, value]) => (value ? [`  ${name.padEnd(13)}   ${value}`] : []));
  const trying = credentials === undefined ? '' : ' Try it: npm run demo, in another terminal.';
  const ready = `Cardwright is ready (${mode}, after ${seconds.toFixed(1)} s).${trying} Stop it: Ctrl-C`;
  return `${[ready, ...told].join('\n')}\n`;
}
