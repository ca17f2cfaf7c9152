import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './lock.mjs';

// `node scripts/supply-chain/pin-images.mjs` asks the images' registry for the digest of each image without one, and writes it into
// Dockerfile and docker-compose.yml. Needs Docker with buildx, and a network. Another folder of the project may be given.

const [folder = ROOT] = process.argv.slice(2);
const LIST = join(folder, 'scripts/supply-chain/images-without-digest.json');
const FORMAT = '{{.Manifest.Digest}}';

const digests = JSON.parse(readFileSync(LIST, 'utf8')).map((image) => {
  const args = ['buildx', 'imagetools', 'inspect', image, '--format', FORMAT];
  const digest = execFileSync('docker', args, { encoding: 'utf8' }).trim();
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`The registry has no digest of ${image}.`);
  return [image, digest];
});
for (const name of ['Dockerfile', 'docker-compose.yml']) {
  const path = join(folder, name);
  let text = readFileSync(path, 'utf8');
  for (const [image, digest] of digests)
    text = text.replace(
      new RegExp(`^(FROM |\\s*image: )${image.replaceAll('.', '\\.')}(?=\\s|$)`, 'gm'),
      (_, before) => `${before}${image}@${digest}`,
    );
  writeFileSync(path, text);
}
writeFileSync(LIST, '[]\n');
for (const [image, digest] of digests) console.log(`${image}@${digest}`);
