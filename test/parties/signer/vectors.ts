/**
 * Official test vectors, a handful of each.
 *
 * SLIP-39: https://github.com/trezor/python-shamir-mnemonic, vectors.json. The passphrase of the shares is TREZOR. An empty secret stands for shares that must be refused.
 *
 * BIP-39: https://github.com/trezor/python-mnemonic, vectors.json, which BIP-39 names. The passphrase is TREZOR.
 */
export const VECTORS_PASSPHRASE = 'TREZOR';

export interface Slip39Vector {
  what: string;
  shares: string[];
  /** Hexadecimal. */
  secret: string;
}

export const SLIP39_VECTORS: readonly Slip39Vector[] = [
  {
    what: '1. Valid mnemonic without sharing (128 bits)',
    shares: [
      'duckling enlarge academic academic agency result length solution fridge kidney coal piece deal husband erode duke ajar critical decision keyboard',
    ],
    secret: 'bb54aac4b89dc868ba37d9cc21b2cece',
  },
  {
    what: '2. Mnemonic with invalid checksum (128 bits)',
    shares: [
      'duckling enlarge academic academic agency result length solution fridge kidney coal piece deal husband erode duke ajar critical decision kidney',
    ],
    secret: '',
  },
  {
    what: '3. Mnemonic with invalid padding (128 bits)',
    shares: [
      'duckling enlarge academic academic email result length solution fridge kidney coal piece deal husband erode duke ajar music cargo fitness',
    ],
    secret: '',
  },
  {
    what: '4. Basic sharing 2-of-3 (128 bits)',
    shares: [
      'shadow pistol academic always adequate wildlife fancy gross oasis cylinder mustang wrist rescue view short owner flip making coding armed',
      'shadow pistol academic acid actress prayer class unknown daughter sweater depict flip twice unkind craft early superior advocate guest smoking',
    ],
    secret: 'b43ceb7e57a0ea8766221624d01b0864',
  },
  {
    what: '5. Basic sharing 2-of-3 (128 bits)',
    shares: [
      'shadow pistol academic always adequate wildlife fancy gross oasis cylinder mustang wrist rescue view short owner flip making coding armed',
    ],
    secret: '',
  },
  {
    what: '6. Mnemonics with different identifiers (128 bits)',
    shares: [
      'adequate smoking academic acid debut wine petition glen cluster slow rhyme slow simple epidemic rumor junk tracks treat olympic tolerate',
      'adequate stay academic agency agency formal party ting frequent learn upstairs remember smear leaf damage anatomy ladle market hush corner',
    ],
    secret: '',
  },
  {
    what: '7. Mnemonics with different iteration exponents (128 bits)',
    shares: [
      'peasant leaves academic acid desert exact olympic math alive axle trial tackle drug deny decent smear dominant desert bucket remind',
      'peasant leader academic agency cultural blessing percent network envelope medal junk primary human pumps jacket fragment payroll ticket evoke voice',
    ],
    secret: '',
  },
  {
    what: '11. Mnemonics with duplicate member indices (128 bits)',
    shares: [
      'device stay academic always dive coal antenna adult black exceed stadium herald advance soldier busy dryer daughter evaluate minister laser',
      'device stay academic always dwarf afraid robin gravity crunch adjust soul branch walnut coastal dream costume scholar mortgage mountain pumps',
    ],
    secret: '',
  },
  {
    what: '13. Mnemonics giving an invalid digest (128 bits)',
    shares: [
      'guilt walnut academic acid deliver remove equip listen vampire tactics nylon rhythm failure husband fatigue alive blind enemy teaspoon rebound',
      'guilt walnut academic agency brave hamster hobo declare herd taste alpha slim criminal mild arcade formal romp branch pink ambition',
    ],
    secret: '',
  },
  {
    what: '18. Threshold number of groups and members in each group (128 bits, case 2)',
    shares: [
      'eraser senior decision smug corner ruin rescue cubic angel tackle skin skunk program roster trash rumor slush angel flea amazing',
      'eraser senior beard romp adorn nuclear spill corner cradle style ancient family general leader ambition exchange unusual garlic promise voice',
      'eraser senior decision scared cargo theory device idea deliver modify curly include pancake both news skin realize vitamins away join',
    ],
    secret: '7c3397a292a5941682d7a4ae2d898d11',
  },
  {
    what: '19. Threshold number of groups and members in each group (128 bits, case 3)',
    shares: [
      'eraser senior beard romp adorn nuclear spill corner cradle style ancient family general leader ambition exchange unusual garlic promise voice',
      'eraser senior acrobat romp bishop medical gesture pumps secret alive ultimate quarter priest subject class dictate spew material endless market',
    ],
    secret: '7c3397a292a5941682d7a4ae2d898d11',
  },
  {
    what: '21. Mnemonic with invalid checksum (256 bits)',
    shares: [
      'theory painting academic academic armed sweater year military elder discuss acne wildlife boring employer fused large satoshi bundle carbon diagnose anatomy hamster leaves tracks paces beyond phantom capital marvel lips brave detect lunar',
    ],
    secret: '',
  },
  {
    what: '23. Basic sharing 2-of-3 (256 bits)',
    shares: [
      'humidity disease academic always aluminum jewelry energy woman receiver strategy amuse duckling lying evidence network walnut tactics forget hairy rebound impulse brother survive clothes stadium mailman rival ocean reward venture always armed unwrap',
      'humidity disease academic agency actress jacket gross physics cylinder solution fake mortgage benefit public busy prepare sharp friar change work slow purchase ruler again tricycle involve viral wireless mixture anatomy desert cargo upgrade',
    ],
    secret: 'c938b319067687e990e05e0da0ecce1278f75ff58d9853f19dcaeed5de104aae',
  },
  {
    what: '39. Mnemonic with insufficient length',
    shares: [
      'junk necklace academic academic acne isolate join hesitate lunar roster dough calcium chemical ladybug amount mobile glasses verify cylinder',
    ],
    secret: '',
  },
  {
    what: '40. Mnemonic with invalid master secret length',
    shares: [
      'fraction necklace academic academic award teammate mouse regular testify coding building member verdict purchase blind camera duration email prepare spirit quarter',
    ],
    secret: '',
  },
  {
    what: '41. Valid mnemonics which can detect some errors in modular arithmetic',
    shares: [
      'herald flea academic cage avoid space trend estate dryer hairy evoke eyebrow improve airline artwork garlic premium duration prevent oven',
      'herald flea academic client blue skunk class goat luxury deny presence impulse graduate clay join blanket bulge survive dish necklace',
      'herald flea academic acne advance fused brother frozen broken game ranked ajar already believe check install theory angry exercise adult',
    ],
    secret: 'ad6f2ad8b59bbbaa01369b9006208d9a',
  },
  {
    what: '43. Extendable basic sharing 2-of-3 (128 bits)',
    shares: [
      'enemy favorite academic acid cowboy phrase havoc level response walnut budget painting inside trash adjust froth kitchen learn tidy punish',
      'enemy favorite academic always academic sniff script carpet romp kind promise scatter center unfair training emphasis evening belong fake enforce',
    ],
    secret: '48b1a4b80b8c209ad42c33672bdaa428',
  },
  {
    what: '45. Extendable basic sharing 2-of-3 (256 bits)',
    shares: [
      'western apart academic always artist resident briefing sugar woman oven coding club ajar merit pecan answer prisoner artist fraction amount desktop mild false necklace muscle photo wealthy alpha category unwrap spew losing making',
      'western apart academic acid answer ancient auction flip image penalty oasis beaver multiple thunder problem switch alive heat inherit superior teaspoon explain blanket pencil numb lend punish endless aunt garlic humidity kidney observe',
    ],
    secret: '8dc652d6d6cd370d8c963141f6d79ba440300f25c467302c1d966bff8f62300d',
  },
];

/** Entropy and root key in hexadecimal and base58. */
export const BIP39_VECTORS = [
  {
    entropy: '7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f',
    mnemonic: 'legal winner thank year wave sausage worth useful legal winner thank yellow',
    root: 'xprv9s21ZrQH143K2gA81bYFHqU68xz1cX2APaSq5tt6MFSLeXnCKV1RVUJt9FWNTbrrryem4ZckN8k4Ls1H6nwdvDTvnV7zEXs2HgPezuVccsq',
  },
  {
    entropy: '68a79eaca2324873eacc50cb9c6eca8cc68ea5d936f98787c60c7ebc74e6ce7c',
    mnemonic:
      'hamster diagram private dutch cause delay private meat slide toddler razor book happy fancy gospel tennis maple dilemma loan word shrug inflict delay length',
    root: 'xprv9s21ZrQH143K2XTAhys3pMNcGn261Fi5Ta2Pw8PwaVPhg3D8DWkzWQwjTJfskj8ofb81i9NP2cUNKxwjueJHHMQAnxtivTA75uUFqPFeWzk',
  },
  {
    entropy: '6d9be1ee6ebd27a258115aad99b7317b9c8d28b6d76431c3',
    mnemonic:
      'horn tenant knee talent sponsor spell gate clip pulse soap slush warm silver nephew swap uncle crack brave',
    root: 'xprv9s21ZrQH143K3R1SfVZZLtVbXEB9ryVxmVtVMsMwmEyEvgXN6Q84LKkLRmf4ST6QrLeBm3jQsb9gx1uo23TS7vo3vAkZGZz71uuLCcywUkt',
  },
  {
    entropy: 'c0ba5a8e914111210f2bd131f3d5e08d',
    mnemonic: 'scheme spot photo card baby mountain device kick cradle pact join borrow',
    root: 'xprv9s21ZrQH143K3FperxDp8vFsFycKCRcJGAFmcV7umQmcnMZaLtZRt13QJDsoS5F6oYT6BB4sS6zmTmyQAEkJKxJ7yByDNtRe5asP2jFGhT6',
  },
];
