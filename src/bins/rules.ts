import type { Bin } from './store';

/** The BINs that cards can be issued on from an account of that currency, for an owner with these BINs disabled. */
export function enabledBins(
  currency: string,
  admitted: readonly Bin[],
  disabled?: ReadonlySet<string>,
): Bin[] {
  return admitted.filter(
    (bin) => bin.status === 'active' && bin.currency === currency && !disabled?.has(bin.bin),
  );
}
