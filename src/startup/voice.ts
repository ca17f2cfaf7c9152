import type { Logger } from 'pino';

/** The addresses of a process once everything runs. */
export interface ReadyFacts {
  mode: 'sandbox' | 'live';
  /** Since the start of the process. */
  seconds: number;
  /** The API's address, without a trailing slash. */
  api: string;
  temporalUi: string | null;
  metrics: string;
  /** The address of the local chain's node; null where none runs. */
  chain: string | null;
  /** Absent where no demo tenants were made. */
  credentials?: string | undefined;
}

/** The process's words on itself, at any level of its log. */
export interface Voice {
  say(line: string, fields?: Record<string, unknown>): void;
  ready(facts: ReadyFacts): void;
}

interface VoiceOptions {
  /** A person reads: text. Else a program may read: lines of the log, which are JSON. */
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
  const { mode, seconds, api, temporalUi, chain, metrics, credentials } = facts;
  const lines: [string, string | null | undefined][] = [
    ['API', api],
    ['Documentation', documentationOf(facts)],
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
