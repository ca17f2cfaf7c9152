import { randomUUID } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { buildId } from '../build';
import { type Readiness, readinessAnswer } from '../readiness';
import type { Metrics } from './metrics';

export interface MetricsServerDeps {
  metrics: Metrics;
  readiness: () => Promise<Readiness>;
}

/**
 * Serves `/metrics` for Prometheus on a port that clients cannot reach. Also serves `/health` and `/health/ready`, so
 * that a worker, which has no API, can be probed.
 */
export function createMetricsServer({ metrics, readiness }: MetricsServerDeps): Server {
  return createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
    answer(request.url ?? '', request.method ?? '').catch(() => send(response, 500, 'text/plain', 'failed'));

    async function answer(url: string, method: string): Promise<void> {
      if (method !== 'GET' && method !== 'HEAD') return send(response, 405, 'text/plain', 'GET only');
      const [path] = url.split('?');
      if (path === '/metrics') {
        const { contentType, body } = await metrics.render();
        return send(response, 200, contentType, body);
      }
      if (path === '/health') return sendJson(response, 200, { status: 'ok', build: buildId() });
      if (path === '/health/ready') {
        const { status, body } = readinessAnswer(await readiness(), randomUUID());
        return sendJson(response, status, body);
      }
      return send(response, 404, 'text/plain', 'not found');
    }
  });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  send(response, status, 'application/json', JSON.stringify(body));
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff' }).end(body);
}
