import { X509Certificate } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { type Sample, sample } from './definitions';
import { within } from './within';

/** Things of a process's machine that run out. */
export interface Machine {
  /** Folders that the process writes, by place. */
  folders: Readonly<Record<string, string>>;
  /** PEM of the certificates that the process presents, by peer. */
  certificates: Readonly<Record<string, Buffer>>;
}

/** Longest wait for a disk in milliseconds, because a folder of the network may never answer. */
const PATIENCE_MS = 1_000;

export const MACHINE_GAUGES = [
  'disk_free_bytes',
  'disk_size_bytes',
  'certificate_expires_timestamp_seconds',
] as const;

/** A folder that cannot be read has no sample. */
export async function readMachine({ folders, certificates }: Machine): Promise<Sample[]> {
  const disks = await Promise.all(Object.entries(folders).map(([place, path]) => diskOf(place, path)));
  const expiries = Object.entries(certificates).map(([peer, pem]) =>
    sample('certificate_expires_timestamp_seconds', { peer }, expiryOf(pem)),
  );
  return [...disks.flat(), ...expiries];
}

async function diskOf(place: string, path: string): Promise<Sample[]> {
  const disk = await within(
    PATIENCE_MS,
    statfs(path).catch(() => undefined),
  );
  if (!disk) return [];
  return [
    sample('disk_free_bytes', { place }, disk.bavail * disk.bsize),
    sample('disk_size_bytes', { place }, disk.blocks * disk.bsize),
  ];
}

const expiryOf = (pem: Buffer): number => Date.parse(new X509Certificate(pem).validTo) / 1_000;
