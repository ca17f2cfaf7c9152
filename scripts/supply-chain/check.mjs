import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLicensed } from './licences.mjs';
import { lockedPackages } from './lock.mjs';

/** How images get their digests. */
const PIN = 'Run node scripts/supply-chain/pin-images.mjs, which needs Docker with buildx and a network.';
/** Files that name images, and the pattern of a line that does. */
const IMAGES = { Dockerfile: /^FROM (\S+)/gm, 'docker-compose.yml': /^\s*image: (\S+)/gm };
/** Images that this repository builds, and names of earlier stages. */
const OWN = /^(cardwright:|packages$)/;

/**
 * Checks what the installation is made of.
 * @param root folder of the project
 * @param isPublished whether an image of these files is about to be published, which must not rest on a tag alone
 * @returns a line for each fault
 */
export function faultsIn(root, isPublished) {
  const read = (name) => readFileSync(join(root, name), 'utf8');
  const lock = JSON.parse(read('package-lock.json'));
  const unpinned = JSON.parse(read('scripts/supply-chain/images-without-digest.json'));
  return [
    ...faultsOfLock(lock),
    ...faultsOfImages(read, unpinned),
    ...(isPublished && unpinned.length > 0
      ? [`a published image must not rest on images without a digest: ${unpinned.join(', ')}. ${PIN}`]
      : []),
  ];
}

const faultsOfLock = (lock) =>
  lockedPackages(lock).flatMap((locked) => {
    const { path, version, integrity, resolved, license } = locked;
    return [
      ...(/^sha512-/.test(integrity ?? '') ? [] : [`${path}@${version} has no hash (SHA-512) in the lock`]),
      ...(/^(git|http:|file:)/.test(resolved ?? '') ? [`${path}@${version} comes from ${resolved}`] : []),
      ...(isLicensed(locked) ? [] : [`${path}@${version} has a licence that is not allowed: ${license}`]),
    ];
  });

function faultsOfImages(read, unpinned) {
  const named = Object.entries(IMAGES).flatMap(([file, pattern]) =>
    [...read(file).matchAll(pattern)].map(([, image]) => ({ file, image })),
  );
  const open = named.filter(({ image }) => !OWN.test(image) && !/@sha256:[0-9a-f]{64}$/.test(image));
  const stale = unpinned.filter((image) => !open.some((each) => each.image === image));
  return [
    ...open
      .filter(({ image }) => !unpinned.includes(image))
      .map(({ file, image }) => `${file}: ${image} has no digest`),
    ...stale.map((image) => `images-without-digest.json: ${image} is pinned, or not used`),
  ];
}
