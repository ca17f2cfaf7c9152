import { partyErrorOf } from './errors';

/** Runs a request that changes nothing. @throws as {@link partyErrorOf} */
export const reading = <T>(request: () => Promise<T>) => withPartyErrors(request, false);
/** Runs a request that may change something even if it fails. @throws as {@link partyErrorOf} */
export const changing = <T>(request: () => Promise<T>) => withPartyErrors(request, true);

async function withPartyErrors<T>(request: () => Promise<T>, changing: boolean): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw partyErrorOf(error, changing);
  }
}

/** The id in a field that holds an id or the expanded object. */
export const idOf = (field: string | { id: string } | null | undefined): string | undefined =>
  typeof field === 'string' ? field : (field?.id ?? undefined);

/** Marks our records, because other programs may use the account too. */
export const ORIGIN = 'cardwright';

/** False for a record of another program on the same account. */
export const isOurs = ({ metadata }: { metadata?: Record<string, string> | null }): boolean =>
  metadata?.['origin'] === ORIGIN;
