// Waits until no ready worker of another image is left, so that an API starts no workflow that its workers do not know.
// A headless Service without ready pods has no address, so an installation without workers, or without Temporal, waits for nobody.
// Arguments: the Service of all workers, the Service of the workers of this image, and the most seconds to wait.
import dns from 'node:dns/promises';

const [all, own, seconds] = process.argv.slice(-3);
const end = Date.now() + Number(seconds) * 1000;

const addressesOf = async (name) =>
  (await dns.lookup(name, { all: true }).catch(() => [])).map(({ address }) => address);

async function othersLeft() {
  const known = new Set(await addressesOf(own));
  return (await addressesOf(all)).filter((address) => !known.has(address));
}

for (;;) {
  const others = await othersLeft();
  if (others.length === 0) break;
  if (Date.now() >= end) {
    console.log(
      `goes on beside ${others.length} workers of another image: they were still ready after ${seconds} s`,
    );
    break;
  }
  console.log(`waits for ${others.length} workers of another image`);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
}
