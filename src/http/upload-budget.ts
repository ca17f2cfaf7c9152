import { Problem } from '../kernel/errors';

export interface UploadLimits {
  /** Bytes of one tenant that may be under way at once. */
  tenantBytes: number;
  /** Bytes of all tenants in this process. */
  processBytes: number;
  /** How long an upload waits for its turn, in milliseconds. */
  waitMs: number;
  /** How many uploads of a tenant wait; the next is refused at once. */
  waiting: number;
}

/** Bounds the uploads under way, so that those of one tenant leave memory, disk and processor to others. */
export interface UploadBudget {
  /**
   * Waits until this many bytes fit, behind earlier uploads of the tenant.
   * @returns gives the bytes back, once
   * @throws Problem 429 when they do not fit in time
   */
  reserve(tenantId: string, bytes: number): Promise<() => void>;
}

interface Waiting {
  tenantId: string;
  bytes: number;
  grant(): void;
}

export function createUploadBudget(limits: UploadLimits): UploadBudget {
  const { tenantBytes, processBytes, waitMs } = limits;
  const used = new Map<string, number>();
  const queue: Waiting[] = [];
  let total = 0;

  const fits = (tenantId: string, bytes: number) =>
    total + bytes <= processBytes && (used.get(tenantId) ?? 0) + bytes <= tenantBytes;

  function take(tenantId: string, bytes: number): () => void {
    change(tenantId, bytes);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      change(tenantId, -bytes);
      grantWaiting();
    };
  }

  function change(tenantId: string, bytes: number): void {
    const now = (used.get(tenantId) ?? 0) + bytes;
    if (now === 0) used.delete(tenantId);
    else used.set(tenantId, now);
    total += bytes;
  }

  /** In the order of arrival. An upload that does not fit holds up only later ones of its tenant. */
  function grantWaiting(): void {
    const heldUp = new Set<string>();
    for (const each of [...queue]) {
      if (heldUp.has(each.tenantId) || !fits(each.tenantId, each.bytes)) heldUp.add(each.tenantId);
      else each.grant();
    }
  }

  return {
    async reserve(tenantId, wanted) {
      const bytes = Math.min(wanted, tenantBytes);
      const before = queue.filter((each) => each.tenantId === tenantId).length;
      if (before === 0 && fits(tenantId, bytes)) return take(tenantId, bytes);
      if (before >= limits.waiting) throw refusal(waitMs);
      return new Promise((resolve, reject) => {
        const leave = () => void queue.splice(queue.indexOf(waiting), 1);
        const timer = setTimeout(() => {
          leave();
          reject(refusal(waitMs));
        }, waitMs);
        const waiting: Waiting = {
          tenantId,
          bytes,
          grant() {
            clearTimeout(timer);
            leave();
            resolve(take(tenantId, bytes));
          },
        };
        queue.push(waiting);
      });
    },
  };
}

const refusal = (waitMs: number) =>
  new Problem(
    429,
    'rate_limited',
    'Too many uploads are under way.',
    undefined,
    Math.max(1, Math.ceil(waitMs / 2_000)),
  );
