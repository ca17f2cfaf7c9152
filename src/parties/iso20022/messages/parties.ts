import { type Element, element, optional } from '../xml/build';
import { textAt, type XmlNode } from '../xml/tree';

/** A payee or a payer with the account. */
export interface AccountHolder {
  name?: string | undefined;
  iban?: string | undefined;
  /** Of an account without an IBAN. */
  accountNumber?: string | undefined;
  bic?: string | undefined;
  country?: string | undefined;
}

export const agentElement = (name: string, { bic }: Pick<AccountHolder, 'bic'>): Element =>
  element(name, [
    element('FinInstnId', [
      // The schema wants an agent even where nobody knows its BIC.
      bic === undefined ? element('Othr', [element('Id', 'NOTPROVIDED')]) : element('BICFI', bic),
    ]),
  ]);

export const accountElement = (
  name: string,
  { iban, accountNumber }: Pick<AccountHolder, 'iban' | 'accountNumber'>,
): Element =>
  element(name, [
    element('Id', [
      iban === undefined ? element('Othr', [element('Id', accountNumber ?? '')]) : element('IBAN', iban),
    ]),
  ]);

export const partyElement = (name: string, { name: called, country }: AccountHolder): Element =>
  element(name, [
    optional('Nm', called),
    country === undefined ? undefined : element('PstlAdr', [element('Ctry', country)]),
  ]);

export const ibanAt = (node: XmlNode | undefined, path: string): string | undefined =>
  textAt(node, `${path}/Id/IBAN`);

/** An account by its IBAN, else by its other number. */
export const accountAt = (node: XmlNode | undefined, path: string): string | undefined =>
  ibanAt(node, path) ?? textAt(node, `${path}/Id/Othr/Id`);
