import type { Sql } from '../../../kernel/db/database';
import type { Write } from '../../../kernel/db/writes';
import { Decimal } from '../../../kernel/money/money';
import { authorizationById, authorizationOf, type FoundAuthorization, READ } from '../authorization-store';
import type { Merchant } from '../record';
import type { NetworkKey, NetworkReference } from './references';

interface Row {
  known_card: string;
  known_reference: string;
  known_currency: string;
  authorization_id: string | null;
  settled_ahead: string;
  settled_ahead_at: Date | null;
  reversed_ahead: string;
  reversed_ahead_at: Date | null;
  final_at: Date | null;
  released_unanswered: string;
  /** Of the chain; null when there is none. */
  id: string | null;
  merchant: Merchant | null;
}

export interface FoundNetworkReferences {
  references: NetworkReference[];
  /** The chains, each with the merchant of its authorization. */
  chains: FoundAuthorization[];
}

/** Reads references of networks' transactions with their chains. The caller holds the cards' locks. */
export async function readNetworkReferences(sql: Sql, keys: NetworkKey[]): Promise<FoundNetworkReferences> {
  if (keys.length === 0) return { references: [], chains: [] };
  // Prepared, because every message of a network runs it. The lateral joins make it use the indexes even if planned on
  // small tables.
  const rows = await sql.prepared<Row & Record<string, unknown>>(
    'network-references',
    `select n.card_id as known_card, n.reference as known_reference, n.currency as known_currency, n.authorization_id,
            n.settled_ahead, n.settled_ahead_at, n.reversed_ahead, n.reversed_ahead_at, n.final_at,
            n.released_unanswered, ${READ}, o.merchant
       from (select distinct * from unnest($1::text[], $2::text[], $3::text[]) as u(card, reference, currency)) u
      cross join lateral (select * from network_references
                           where card_id = u.card and reference = u.reference and currency = u.currency limit 1) n
       left join lateral (${authorizationById('n.authorization_id')}) a on true
       left join lateral (select merchant from card_transactions where id = n.authorization_id limit 1) o on true`,
    [
      keys.map(({ cardId }) => cardId),
      keys.map(({ reference }) => reference),
      keys.map(({ currency }) => currency),
    ],
  );
  return {
    references: rows.map(referenceOf),
    chains: rows.flatMap((row) => (row.id === null ? [] : [chainOf(row)])),
  };
}

const referenceOf = (row: Row): NetworkReference => ({
  cardId: row.known_card,
  reference: row.known_reference,
  currency: row.known_currency,
  authorizationId: row.authorization_id,
  settledAhead: new Decimal(row.settled_ahead),
  settledAheadAt: row.settled_ahead_at,
  reversedAhead: new Decimal(row.reversed_ahead),
  reversedAheadAt: row.reversed_ahead_at,
  finalAt: row.final_at,
  releasedUnanswered: new Decimal(row.released_unanswered),
});

function chainOf(row: Row & Record<string, unknown>): FoundAuthorization {
  const authorization = authorizationOf(row);
  authorization.merchant = row.merchant ?? undefined;
  return { reference: authorization.referenceId, authorization };
}

/** Writes references. Raw SQL, because the hot path defers this write to its commit. */
export function networkReferencesWrite(references: NetworkReference[]): Write | undefined {
  if (references.length === 0) return undefined;
  const rows = references.map((each) => ({
    card_id: each.cardId,
    reference: each.reference,
    currency: each.currency,
    authorization_id: each.authorizationId,
    settled_ahead: each.settledAhead.toFixed(),
    settled_ahead_at: each.settledAheadAt,
    reversed_ahead: each.reversedAhead.toFixed(),
    reversed_ahead_at: each.reversedAheadAt,
    final_at: each.finalAt,
    released_unanswered: each.releasedUnanswered.toFixed(),
  }));
  return { name: 'network-references', statement: UPSERT, values: [JSON.stringify(rows)] };
}

const KEY = ['card_id', 'reference', 'currency'];
const CHANGING = [
  ...['authorization_id', 'settled_ahead', 'settled_ahead_at', 'reversed_ahead', 'reversed_ahead_at'],
  ...['final_at', 'released_unanswered'],
];
const NAMES = [...KEY, ...CHANGING].join(', ');
const UPSERT = `insert into network_references (${NAMES})
  select ${NAMES} from json_populate_recordset(null::network_references, $1::json)
  on conflict (${KEY.join(', ')}) do update set ${CHANGING.map((name) => `${name} = excluded.${name}`).join(', ')}`;
