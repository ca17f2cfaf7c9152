import { claimSent, isIdle, type Lane, laneKey, newLane, roomOf } from './lane';
import type { DueEndpoint, Want } from './store';

/** A lane without due events for this long is dropped with its connections. Milliseconds. */
const FORGET_MS = 60_000;

/** The lanes of a process. */
export interface Lanes {
  /** The lane of an endpoint, created if it does not exist. */
  of(endpoint: DueEndpoint): Lane;
  ofShard(shard: number): Lane[];
  all(): Lane[];
  /** Number of events that are claimed or being sent. */
  held(): number;
  /**
   * Claims for lanes with free room. Lanes that were served longest ago come first.
   * @param limit events in all
   */
  wants(limit: number, mayClaim: (shard: number) => boolean): Want[];
  /** Drops lanes without due events. @returns keys of the dropped lanes */
  forgetIdle(): string[];
}

/** @param now milliseconds of the process's monotonic clock */
export function createLanes(now: () => number = () => performance.now()): Lanes {
  /** Served longest ago first. */
  const lanes = new Map<string, Lane>();

  return {
    of(endpoint) {
      const key = laneKey(endpoint);
      const known = lanes.get(key);
      if (known) return known;
      const lane = newLane(endpoint, now());
      lanes.set(key, lane);
      return lane;
    },
    all: () => [...lanes.values()],
    ofShard: (shard) => [...lanes.values()].filter((lane) => lane.shard === shard),
    held() {
      let sum = 0;
      for (const lane of lanes.values()) sum += lane.queue.length + lane.underWay;
      return sum;
    },
    wants(limit, mayClaim) {
      let free = limit;
      const wants: Want[] = [];
      for (const [key, lane] of [...lanes]) {
        if (free <= 0) break;
        const room = mayClaim(lane.shard) ? Math.min(roomOf(lane), free) : 0;
        if (room === 0) continue;
        free -= room;
        wants.push(claimSent(lane, room));
        lanes.delete(key);
        lanes.set(key, lane);
      }
      return wants;
    },
    forgetIdle() {
      const before = now() - FORGET_MS;
      const idle = [...lanes].filter(([, lane]) => lane.usedAt <= before && isIdle(lane));
      for (const [key] of idle) lanes.delete(key);
      return idle.map(([key]) => key);
    },
  };
}
