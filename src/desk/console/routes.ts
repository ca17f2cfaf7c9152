import { z } from 'zod';
import { type ApiRequest, Reply, type Route, route } from '../../http/route';
import { canonicalPath } from '../../http/run-operation';
import { forbidden, notFound, Problem } from '../../kernel/errors';
import { html } from '../../kernel/wire/html';
import type { GivenFile } from '../download';
import type { DeskHttp } from '../http/services';
import { assertWithinRate } from '../sign-in/rate-limit';
import { decisionForm, decisionPage } from './decision/decision-page';
import { approvalForm, approvalPage, approvalsPage } from './pages/approval-pages';
import { deskPage, desksPage } from './pages/desk-pages';
import { joinByForm, joinPage } from './pages/join-page';
import { listPage } from './pages/list-page';
import { overviewPage } from './pages/overview-page';
import { downloadPage, recordPage, revealPage } from './pages/record-page';
import { foundPage, recordsPage } from './pages/records-page';
import {
  type Bare,
  keptAgain,
  onceMore,
  signInByForm,
  signInPage,
  signOut,
  wantedOf,
} from './pages/sign-in-page';
import { workPage } from './pages/work-page';
import { assetAt } from './render/assets';
import { heading, PAGE_HEADERS, pageOf } from './render/layout';
import { assertOwnForm, hasToken, visitOf } from './session';
import { type Asking, header, isPart, may, ownPath, type Page, type Redirect, type Visit } from './visit';

type Answer = Page | Redirect | GivenFile;

interface Address {
  method: 'GET' | 'POST';
  path: string;
  summary: string;
  page(visit: Visit): Answer | Promise<Answer>;
}

/** Each page of an operator who is signed in. */
const PAGES: readonly Address[] = [
  { method: 'GET', path: '/', summary: 'What waits, what fails, and all figures', page: overviewPage },
  { method: 'GET', path: '/work', summary: 'The longest waiting rows of each list', page: workPage },
  { method: 'GET', path: '/lists/{name}', summary: 'Any list', page: listPage },
  { method: 'GET', path: '/desks', summary: 'All desks', page: desksPage },
  { method: 'GET', path: '/desks/{name}', summary: 'A desk', page: deskPage },
  { method: 'GET', path: '/records', summary: 'By which texts records are found', page: recordsPage },
  { method: 'POST', path: '/records', summary: 'Finds records by a text', page: foundPage },
  { method: 'GET', path: '/records/{id}', summary: 'The story of any id', page: recordPage },
  { method: 'POST', path: '/records/{id}', summary: 'Shows what is masked of a record', page: revealPage },
  {
    method: 'POST',
    path: '/records/{id}/content',
    summary: 'Gives out the file of a record',
    page: downloadPage,
  },
  { method: 'GET', path: '/decisions/{name}', summary: 'The form of a decision', page: decisionPage },
  {
    method: 'POST',
    path: '/decisions/{name}',
    summary: 'Previews a decision, or carries it out',
    page: decisionForm,
  },
  { method: 'GET', path: '/approvals', summary: 'What waits for another operator', page: approvalsPage },
  { method: 'GET', path: '/approvals/{id}', summary: 'An approval', page: approvalPage },
  { method: 'POST', path: '/approvals/{id}', summary: 'Approves or rejects', page: approvalForm },
  { method: 'POST', path: '/sign-out', summary: 'Ends the session', page: signOut },
];

/** Largest form. */
const FORM_LIMIT = 256 * 1024;

const query = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

type Place = Pick<Address, 'method' | 'path' | 'summary'>;

/**
 * A page as an endpoint. It is public, because a browser without a session gets the page to sign in, and `raw` gives the
 * headers with the cookie.
 */
const pageRoute = (place: Place, answer: (asking: Asking) => Promise<Reply>): Route =>
  route({
    ...place,
    tag: 'Console',
    role: 'public',
    query,
    raw: { limit: FORM_LIMIT },
    read: (request) => answer(askingOf(place, request)),
  });

function askingOf({ method, path }: Place, request: ApiRequest<z.output<typeof query>>): Asking {
  const { params, raw, address, requestId } = request;
  const pairs = Object.entries(request.query).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  return {
    method,
    path: canonicalPath(path, params),
    params,
    query: new URLSearchParams(pairs),
    form: new URLSearchParams(method === 'GET' ? '' : raw?.bytes.toString()),
    headers: raw?.headers ?? {},
    address,
    requestId,
  };
}

/** Every page of the console, and the files that pages load. */
export const consoleRoutes = (desk: DeskHttp): Route[] => [
  ...PAGES.map((address) => pageRoute(address, (asking) => answerOf(desk, asking, address))),
  pageRoute({ method: 'GET', path: '/sign-in', summary: 'The page to sign in' }, async ({ query: given }) =>
    bareReply(signInPage(desk, { to: ownPath(given.get('to')) })),
  ),
  pageRoute({ method: 'POST', path: '/sign-in', summary: 'Signs in' }, (asking) =>
    refusing(desk, async () => {
      assertOwnForm(asking);
      const answer = await signInByForm(desk, asking);
      return 'to' in answer ? redirectReply(answer) : bareReply(answer);
    }),
  ),
  pageRoute({ method: 'GET', path: '/join', summary: 'The page of a one-time link' }, async () =>
    bareReply(joinPage(desk)),
  ),
  pageRoute({ method: 'POST', path: '/join', summary: 'Shows a one-time link, or uses it' }, (asking) =>
    refusing(desk, async () => {
      assertOwnForm(asking);
      return bareReply(await joinByForm(desk, asking));
    }),
  ),
  assetRoute,
];

/** A page that is refused before anybody is known to be signed in is the page to sign in. */
async function refusing(desk: DeskHttp, answer: () => Promise<Reply>): Promise<Reply> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof Problem) return bareReply(signInPage(desk, { to: '/' }, '', error));
    throw error;
  }
}

const answerOf = (desk: DeskHttp, asking: Asking, { page }: Address): Promise<Reply> =>
  refusing(desk, async () => {
    if (asking.method === 'POST') assertOwnForm(asking);
    const visit = await visitOf(desk, asking);
    if (visit === undefined) return withoutSession(desk, asking);
    if (!hasToken(visit)) return bareReply(keptAgain(visit));
    try {
      assertWithinRate(desk.spend, visit.operator.actor);
      if (!may(visit)) throw forbidden('It takes the permission view.');
      const answer = await page(visit);
      if ('content' in answer) return new Reply(200, answer.content, answer.headers);
      return 'to' in answer ? redirectReply(answer) : pageReply(visit, answer);
    } catch (error) {
      if (error instanceof Problem) return pageReply(visit, refusedPage(error));
      throw error;
    }
  });

function withoutSession(desk: DeskHttp, asking: Asking): Reply {
  const wanted = wantedOf(asking);
  if (asking.method === 'POST') return bareReply(signInPage(desk, wanted));
  const isFromElsewhere = header(asking, 'sec-fetch-site') === 'cross-site';
  if (isFromElsewhere && header(asking, 'cookie') === '') return bareReply(onceMore(asking));
  // htmx would put the page to sign in into a part of the page.
  if (isPart(asking)) return bareReply({ ...signInPage(desk, wanted), headers: { 'hx-refresh': 'true' } });
  return redirectReply({ to: `/sign-in?${new URLSearchParams({ to: wanted.to }).toString()}` });
}

const TITLES: Record<number, string> = { 403: 'Not permitted', 404: 'Not found', 429: 'Too many requests' };

function refusedPage({ status, message, retryAfter }: Problem): Page {
  const title = TITLES[status] ?? 'Not possible';
  const to = html`<div class="buttons"><a class="button" href="/">Overview</a></div>`;
  return {
    title,
    status,
    ...(retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } }),
    body: html`${heading(title)}<div class="card"><p>${message}</p>${to}</div>`,
  };
}

const pageReply = (visit: Visit, page: Page): Reply =>
  bareReply({ document: pageOf(visit, page), status: page.status ?? 200, headers: page.headers ?? {} });

const bareReply = ({ document, status, headers = {} }: Bare): Reply =>
  new Reply(status, Buffer.from(document), { ...PAGE_HEADERS, ...headers });

/** 303, so that going back in the browser sends no form twice. */
const redirectReply = ({ to, headers = {} }: Redirect): Reply =>
  new Reply(303, Buffer.alloc(0), { ...headers, location: to });

const assetRoute = route({
  method: 'GET',
  path: '/assets/{name}',
  tag: 'Console',
  summary: 'A file that pages load',
  role: 'public',
  async read({ params }) {
    const asset = assetAt(`/assets/${params['name'] ?? ''}`);
    if (!asset) throw notFound('file');
    const headers = { 'content-type': asset.type, 'cache-control': 'public, max-age=31536000, immutable' };
    return new Reply(200, asset.body, headers);
  },
});
