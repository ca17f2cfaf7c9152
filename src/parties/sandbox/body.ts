import type { Context } from 'koa';
import rawBody from 'raw-body';

/** What is sent to a party of the sandbox. Nothing where it is too large, breaks off or cannot be read. */

/** An order is small, a form of a page smaller still. */
const ORDER_LIMIT = '64kb';
const FORM_LIMIT = '4kb';

/** @param limit for an order that brings documents with it */
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
