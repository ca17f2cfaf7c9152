import { textOfHead } from '../../kernel/audit/heads';
import { PartyAway, PartyRefused } from '../../process/party-errors';
import { SIGNATURE_HEADER, signMessage } from '../protocol/signature';
import type { Witness } from './port';

const TIMEOUT_MS = 15_000;

export interface EndpointOptions {
  url: string;
  secret: string;
  /** The machine's time, of the signature. */
  now: () => Date;
}

/** Posts each head to an endpoint, signed as parties sign callbacks. The hour is the idempotency key. */
export function createEndpointWitness({ url, secret, now }: EndpointOptions): Witness {
  return {
    configured: true,
    async tell(head) {
      const body = textOfHead(head);
      const headers = {
        'content-type': 'application/json',
        'idempotency-key': head.hour,
        [SIGNATURE_HEADER]: signMessage(Buffer.from(body), Buffer.from(secret), now()),
      };
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const answer = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' }).catch(
        () => {
          throw new PartyAway('the endpoint of the audit heads cannot be reached');
        },
      );
      await answer.body?.cancel();
      if (answer.ok) return;
      const mayPass = answer.status >= 500 || answer.status === 429 || answer.status === 408;
      const text = `the endpoint of the audit heads answers ${answer.status}`;
      throw mayPass ? new PartyAway(text) : new PartyRefused(String(answer.status), text);
    },
  };
}
