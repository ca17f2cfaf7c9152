import type { Context } from 'koa';
import rawBody from 'raw-body';

/** Readers of request bodies. They return undefined for a body that is too large, incomplete or unreadable. */

/** Limits of an order and of a page's form. */
const ORDER_LIMIT = '64kb';
const FORM_LIMIT = '4kb';

/** @param limit larger for an order with documents */
export async function readOrder(ctx: Context, limit = ORDER_LIMIT): Promise<unknown> {
  try {
    return JSON.parse(await rawBody(ctx.req, { limit, encoding: 'utf8' }));
  } catch {
    return undefined;
  }
}

export async function readForm(ctx: Context): Promise<URLSearchParams | undefined> {
  try {
    return new URLSearchParams(await rawBody(ctx.req, { limit: FORM_LIMIT, encoding: 'utf8' }));
  } catch {
    return undefined;
  }
}
