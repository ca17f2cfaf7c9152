import { type ConformanceOptions, checkParty } from '../../scripts/party-check/conformance';
import { startListener } from '../../scripts/party-check/listener';
import type { CheckResult } from '../../scripts/party-check/outcome';
import { PARTY_PROTOCOLS } from '../../src/parties/definitions';
import type { PartyProtocol } from '../../src/parties/protocol/description';
import { partyPath, partySecret } from '../../src/parties/sandbox/mount';
import type { SandboxParty } from '../../src/parties/sandbox/options';
import { type TestApi, testApi } from '../support/api';

/** The sandbox's parties over real HTTP. Each check has its own receiver of callbacks. */
export interface CheckedWorld {
  api: TestApi;
  urlOf(party: string): string;
  secretOf(party: string): Buffer;
  check(party: string, options?: Partial<ConformanceOptions>): Promise<CheckResult[]>;
  close(): Promise<void>;
}

export async function checkedWorld(): Promise<CheckedWorld> {
  const api = await testApi();
  const urlOf = (party: string) => api.url + partyPath(party as SandboxParty);
  const secretOf = (party: string) => partySecret(api.services.keyring, party as SandboxParty);
  return {
    api,
    urlOf,
    secretOf,
    async check(party, options = {}) {
      const called = options.callbacks ? undefined : await startListener();
      const results = await checkParty({
        protocol: protocolOf(party),
        baseUrl: urlOf(party),
        secret: secretOf(party),
        callbacks: called && { url: called.url, heard: called.heard },
        ...options,
      });
      await called?.close();
      return results;
    },
    close: () => api.close(),
  };
}

export const protocolOf = (party: string): PartyProtocol =>
  PARTY_PROTOCOLS.find(({ name }) => name === party) as PartyProtocol;

/** The results of the checks that are not ok. */
export const notOk = (results: readonly CheckResult[]): string[] =>
  results
    .filter(({ outcome }) => outcome !== 'ok')
    .map(({ name, outcome, why }) => `${outcome} ${name}: ${why}`);
