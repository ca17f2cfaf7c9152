import { asHex } from '../chain/addresses';
import type { SignedAuthorization, UnsignedTransaction } from '../chain/port';

/** Writes a transaction as viem takes it: EIP-1559, or EIP-7702 where it carries authorizations. */
export function typedTransaction({ from: _, to, data, authorizations = [], ...rest }: UnsignedTransaction) {
  const fields = { ...rest, to: asHex(to), data: asHex(data) };
  return authorizations.length === 0
    ? ({ ...fields, type: 'eip1559' } as const)
    : ({ ...fields, type: 'eip7702', authorizationList: authorizations.map(authorizationOf) } as const);
}

const authorizationOf = ({ contract, r, s, ...rest }: SignedAuthorization) => ({
  ...rest,
  address: asHex(contract),
  r: asHex(r),
  s: asHex(s),
});
