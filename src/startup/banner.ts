export interface BannerFacts {
  mode: 'sandbox' | 'live';
  /** Since the start of the process. */
  seconds: number;
  baseUrl: string;
  temporalUi: string | null;
  /** Of the local chain's node; null where none runs. */
  chainUrl: string | null;
  metricsUrl: string;
  /** Absent where no demo tenants were made. */
  credentialsPath?: string | undefined;
}

/** What a person needs to know once everything runs. */
export function banner(facts: BannerFacts): string {
  const lines: [string, string][] = [
    ['API', facts.baseUrl],
    ['Documentation', `${facts.baseUrl}/docs`],
    ['Temporal UI', facts.temporalUi ?? 'as configured'],
    ['Metrics', facts.metricsUrl],
  ];
  if (facts.chainUrl !== null) lines.push(['Local chain', facts.chainUrl]);
  if (facts.credentialsPath !== undefined) {
    lines.push(['Credentials', facts.credentialsPath], ['Try it', 'npm run demo   (in another terminal)']);
  }
  lines.push(['Stop', 'Ctrl-C']);
  const width = Math.max(...lines.map(([name]) => name.length));
  const told = lines.map(([name, value]) => `    ${name.padEnd(width)}   ${value}`);
  return `\n  Cardwright is ready (${facts.mode}, after ${facts.seconds.toFixed(1)} s)\n\n${told.join('\n')}\n`;
}
