import { OPERATIONS } from './generated/operations';
import type { AnswerOf, InputOf, ItemOf, ListName, OperationName } from './operation-types';
import { type Connection, createSend, type Request, type Send } from './send';

/** The input of an operation may be left out when nothing in it is required. */
type Given<Input> = object extends Input ? [input?: Input] : [input: Input];

type Operations = {
  [Name in OperationName]: (...given: Given<InputOf<Name>>) => Promise<AnswerOf<Name>>;
};

/** Every operation of the document by its `operationId`, and the two below. */
export interface Cardwright extends Operations {
  /**
   * Reads a list to its end, page by page.
   * @example for await (const card of client.each('listCards', { query: { status: 'active' } })) …
   */
  each<Name extends ListName>(name: Name, ...given: Given<InputOf<Name>>): AsyncGenerator<ItemOf<Name>>;
  /** Sends a request of any path, with the same retries, for what the types do not cover. */
  request: Send;
}

/**
 * A client of the API with a tenant's credential. Its calls throw a {@link CardwrightError} when the API refuses, and
 * {@link NoAnswer} when no answer came in time.
 * @example
 * const client = cardwright({ baseUrl: 'https://api.example.com', clientId, clientSecret });
 * const card = await client.getCard({ path: { id } });
 */
export function cardwright(connection: Connection): Cardwright {
  const request = createSend(connection);

  async function call(name: OperationName, input: Input = {}): Promise<unknown> {
    const { path = {}, ...rest } = input;
    const [method = '', template = ''] = OPERATIONS[name].split(' ');
    const place = template.replace(/\{(\w+)\}/g, (_, each: string) => encodeURIComponent(path[each] ?? ''));
    return (await request(method, place, rest)).body;
  }

  async function* each(name: OperationName, input: Input = {}): AsyncGenerator<unknown> {
    let cursor: string | null | undefined;
    do {
      const query = { limit: MAX_PAGE, ...input.query, ...(cursor ? { cursor: cursor } : undefined) };
      const page = (await call(name, { ...input, query })) as Page;
      yield* page.data;
      cursor = page.nextCursor;
    } while (cursor);
  }

  const names = Object.keys(OPERATIONS) as OperationName[];
  const operations = Object.fromEntries(names.map((name) => [name, (input?: Input) => call(name, input)]));
  return Object.assign(operations, { each, request }) as unknown as Cardwright;
}

interface Input extends Request {
  path?: Record<string, string>;
}

interface Page {
  data: unknown[];
  nextCursor: string | null;
}

const MAX_PAGE = 100;
