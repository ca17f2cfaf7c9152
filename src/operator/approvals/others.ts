import type { OtherApproved } from '../../desk/decide';
import type { Services } from '../../services';
import type { Executed, KindServices } from './kind';
import { DECISION_KINDS } from './kinds';

/**
 * An approved action of the commands that no desk has replaced yet, so that the desk carries out every approval. A kind
 * goes from here when its domain declares the decision.
 */
export function otherApproved(services: Services, name: string): OtherApproved | undefined {
  const kinds: Readonly<Record<string, Executed>> = DECISION_KINDS;
  const kind = kinds[name];
  if (!kind) return undefined;
  const given: KindServices = { ...services, sandbox: services.mode === 'sandbox' };
  return {
    permission: 'money',
    prove: (terms) => kind.prove(given, terms),
    async execute(tx, { terms }, { reason, decidedBy }, proof) {
      const { entry, result } = await kind.execute(
        given,
        tx,
        terms,
        { reason: reason ?? '', decidedBy },
        proof,
      );
      const { action, subject = '', before, after } = entry;
      return {
        action,
        subject,
        ...(before === undefined ? {} : { before: before as object }),
        after: after as object,
        result: result as object,
      };
    },
  };
}
