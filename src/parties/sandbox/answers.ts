import type { Context } from 'koa';
import type { WebPage } from '../../kernel/wire/page/page';

export function answer(ctx: Context, status: number, body: object): void {
  ctx.status = status;
  ctx.body = body;
}

/** Refuses a request with a code, as our protocol asks. */
export const refuse = (ctx: Context, status: number, code: string): void =>
  answer(ctx, status, { code, message: code });

export function sendPage(ctx: Context, status: number, { document, headers }: WebPage): void {
  ctx.status = status;
  ctx.set(headers);
  ctx.body = document;
}

export function dropConnection(ctx: Context): void {
  ctx.respond = false;
  ctx.req.socket.destroy();
}
