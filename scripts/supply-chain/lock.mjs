import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const LOCK = fileURLToPath(new URL('../../package-lock.json', import.meta.url));

/** The packages of a lock file with their path in node_modules, without the project itself and links. */
export const lockedPackages = ({ packages }) =>
  Object.entries(packages)
    .filter(([path, { link }]) => path !== '' && !link)
    .map(([path, locked]) => ({ path, name: locked.name ?? path.split('node_modules/').at(-1), ...locked }));
