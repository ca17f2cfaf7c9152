import type { OrderOperation, PartOperation } from '../../src/parties/protocol/description';

/** Makes bodies that the operation's schema rejects from one that it accepts. */
export function malformed(
  { request }: OrderOperation | PartOperation,
  body: Record<string, unknown>,
): { what: string; sent: unknown }[] {
  const without = Object.keys(body).map((field) => {
    const { [field]: _, ...rest } = body;
    return { what: `a body without ${field}`, sent: rest };
  });
  const amounts = [12.5, '-1.00', 'ten', '1e3', '0'].map((amount) => ({
    what: `the amount ${JSON.stringify(amount)}`,
    sent: { ...body, amount },
  }));
  const rest = [
    { what: 'an empty body', sent: {} },
    { what: 'a list', sent: [] },
    ...(body['amount'] === undefined ? [] : amounts),
    ...without,
  ];
  return [
    { what: 'invalid JSON', sent: '{"amount":' },
    ...rest.filter(({ sent }) => !request.safeParse(sent).success),
  ];
}
