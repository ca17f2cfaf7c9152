import type { Route } from '../route';
import { OPERATION_NAMES } from './operation-names';

/** Method of a path that ends in a collection, and of one that ends in a record. */
const VERBS: Record<Route['method'], [ofCollection: string, ofRecord: string]> = {
  GET: ['list', 'get'],
  POST: ['create', 'create'],
  PUT: ['update', 'update'],
  PATCH: ['update', 'update'],
  DELETE: ['delete', 'delete'],
};

/**
 * Name of an operation for generated clients: a verb and a noun, as `getCard`, `listCards`, `freezeCard`. The method and
 * the path give it, unless {@link OPERATION_NAMES} has another.
 */
export const operationIdOf = (route: Pick<Route, 'method' | 'path'>): string =>
  OPERATION_NAMES[`${route.method} ${route.path}`] ?? derivedId(route);

/** The name by the rule alone: `POST /v1/cards/{id}/freeze` → `freezeCard`. */
export function derivedId({ method, path }: Pick<Route, 'method' | 'path'>): string {
  const parts = path.split('/').filter((part) => part !== '' && !/^v\d+$/.test(part));
  const [last = '', before = '', owner = ''] = parts.reverse();
  const [ofCollection, ofRecord] = VERBS[method];
  if (isParameter(last)) return ofRecord + noun(singular(before));
  if (method === 'POST' && isParameter(before) && !last.endsWith('s'))
    return camel(last) + noun(singular(owner));
  if (!last.endsWith('s')) return ofRecord + noun(last);
  return method === 'GET' ? ofCollection + noun(last) : ofCollection + noun(singular(last));
}

const isParameter = (part: string) => part.startsWith('{');

const singular = (word: string) => word.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '');

const camel = (words: string) => words.replace(/[-_.]+(\w)/g, (_, letter: string) => letter.toUpperCase());

function noun(words: string): string {
  const text = camel(words);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
