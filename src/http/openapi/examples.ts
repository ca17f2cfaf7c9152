/**
 * A body for every operation that takes one, by the operation's name: one story, from money and people to cards and
 * chains. `test/http/examples.test.ts` sends each, with the ids of its own records.
 */
export const EXAMPLES: Record<string, object> = {
  // Accounts
  creditAccount: {
    accountId: 'acc_01h455vb4pex5vsknk084sn02q',
    amount: '250.00',
    reason: 'Goodwill, ticket 4711',
  },
  debitAccount: {
    accountId: 'acc_01h455vb4pex5vsknk084sn02q',
    amount: '15.00',
    reason: 'Credited twice, ticket 4712',
  },
  createOfframpDeposit: {
    accountId: 'acc_01h455vb4pex5vsknk084sn02q',
    amount: '500.00',
    reference: 'offramp-2026-0001',
  },
  createTransfer: {
    fromAccountId: 'acc_01h455vb4pex5vsknk084sn02q',
    toAccountId: 'acc_01h455vb4pex5vsknk084sn02r',
    amount: '25.00',
    description: 'Pocket money',
  },
  openUserAccount: { currency: 'EUR' },
  quoteExchange: { toAccountId: 'acc_01h455vb4pex5vsknk084sn02r', amount: '100.00', side: 'sell' },
  createExchange: { quoteId: 'quo_01jz0000000000000000000000' },
  topUpAccount: { amount: '50.00', paymentMethodToken: 'tok_visa', returnUrl: 'https://shop.example/back' },
  withdrawToExternalCard: { amount: '20.00', paymentMethodToken: 'tok_visa' },
  // People
  createUser: {
    externalId: 'customer-1001',
    meta: { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' },
  },
  updateUser: { meta: { phone: '7700900123', phoneCode: '+44', country: 'GB' } },
  setUserStatus: { status: 'blocked', reason: 'Lost phone' },
  createCardholder: { accountId: 'acc_01h455vb4pex5vsknk084sn02q', bin: '44112200' },
  updateCardholder: { firstName: 'Augusta', address: '12 St James Square' },
  retryCardholder: {},
  submitCardholder: {},
  uploadCardholderPhoto: { slot: 'idFrontImg', fileId: 'file_01h455vb4pex5vsknk084sn02q' },
  submitKyc: {},
  setKycDocumentStatus: { status: 'rejected', note: 'The picture is blurred' },
  setKycNotes: { notes: 'Called the customer, a new picture follows.' },
  setKycStatus: { status: 'rejected', reason: 'The document has expired' },
  // Cards
  setUserBin: { bin: '44112200', enabled: true },
  issueCard: {
    userId: 'usr_01h455vb4pex5vsknk084sn02q',
    accountId: 'acc_01h455vb4pex5vsknk084sn02q',
    cardholderId: 'chd_01h455vb4pex5vsknk084sn02q',
    label: 'Travel',
    amount: '100.00',
  },
  tokenizeCard: { wallet: 'apple_pay' },
  topUpCard: { amount: '25.00' },
  withdrawFromCard: { amount: '5.00' },
  setCardLimits: {
    perTransaction: '200.00',
    perDay: '500.00',
    perMonth: '2000.00',
    blockedMccs: ['7995'],
    homeCountries: ['GB'],
    version: 0,
  },
  setUserLimits: { perDay: '1000.00', perMonth: '5000.00', version: 0 },
  quoteCardIssue: {
    userId: 'usr_01h455vb4pex5vsknk084sn02q',
    cardholderId: 'chd_01h455vb4pex5vsknk084sn02q',
    bin: '44112200',
    accountId: 'acc_01h455vb4pex5vsknk084sn02q',
    amount: '100.00',
    allocation: '0.25',
  },
  issueBufferedCard: { quoteId: 'quo_01jz0000000000000000000000', label: 'Travel' },
  quoteCardTopup: { accountId: 'acc_01h455vb4pex5vsknk084sn02q', amount: '40.00', allocation: '0.25' },
  topUpBufferedCard: { quoteId: 'quo_01jz0000000000000000000000' },
  withdrawFromBufferedCard: { amount: '5.00' },
  freezeBufferedCard: { reason: 'manual' },
  unfreezeBufferedCard: { reason: 'manual' },
  createSandboxTransaction: {
    cardId: 'card_01h455vb4pex5vsknk084sn02q',
    type: 'authorization',
    amount: '12.50',
    currency: 'USD',
    merchant: { name: 'Corner Shop', mcc: '5411', city: 'London', country: 'GB' },
    channel: 'present',
  },
  // Deposits, exchanges and payouts
  quoteDeposit: { method: 'card', amount: '700.01' },
  createDeposit: {
    quoteId: 'quo_01jz0000000000000000000000',
    returnUrl: 'https://shop.example/back',
    externalId: 'order-4711',
  },
  createExchangeOrder: {
    fromAccountId: 'acc_01h455vb4pex5vsknk084sn02q',
    toAccountId: 'acc_01h455vb4pex5vsknk084sn02r',
    amount: '100.00',
    minReceive: '50.00',
  },
  checkSettlementIncrease: { currency: 'EUR' },
  createWithdrawal: {
    accountId: 'acc_01h455vb4pex5vsknk084sn02q',
    destinationId: 'wdd_01jz0000000000000000000000',
    amount: '20.00',
  },
  quotePayout: { method: 'sepa', amount: '50.00', currency: 'EUR' },
  createPayout: {
    quoteId: 'quo_01jz0000000000000000000000',
    destination: { name: 'Ada Lovelace', iban: 'DE89370400440532013000' },
    externalId: 'invoice-2001',
  },
  quoteIbanPayout: { amount: '50.00', destination: { name: 'Ada Lovelace', iban: 'DE89370400440532013000' } },
  createIbanPayout: { quoteId: 'quo_01jz0000000000000000000000', externalId: 'invoice-2002' },
  createIbanTransfer: { amount: '50.00' },
  createSandboxIbanCredit: {
    iban: 'LT529999900000000001',
    amount: '75.00',
    remitter: { name: 'Charles Babbage', iban: 'DE89370400440532013000' },
  },
  // Chains
  allocateWallet: {
    chain: 'local',
    asset: 'USDT',
    accountId: 'acc_01h455vb4pex5vsknk084sn02q',
    reference: 'invoice-3001',
    ttlSeconds: 3600,
  },
  releaseWallet: { chain: 'local', address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' },
  confirmChainDeposit: {
    chain: 'local',
    address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    txHash: '0xabababababababababababababababababababababababababababababababab',
  },
  releaseExpiredWallets: { chain: 'local' },
  noteGasBalance: { gasBalance: '0.25' },
  updateNetwork: { confirmations: 6, version: 1 },
  updateGasConfig: { gasThreshold: '0.002', gasTopupAmount: '0.01', version: 0 },
  generatePoolWallets: { chain: 'local', count: 3 },
  setGasStation: { chain: 'local', address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
  generateGasStation: { chain: 'local' },
  createSweep: { walletId: 'wal_01jz0000000000000000000000', asset: 'USDT' },
  confirmSweep: { txHash: '0xabababababababababababababababababababababababababababababababab' },
  failSweep: { reason: 'The key of the treasury is being changed' },
  createGasTopup: { walletId: 'wal_01jz0000000000000000000000' },
  confirmGasTopup: { txHash: '0xabababababababababababababababababababababababababababababababab' },
  failGasTopup: { reason: 'The wallet is not needed' },
  scanStationTopups: { chain: 'local' },
  // Webhooks and credentials
  setWebhook: { url: 'https://hooks.shop.example/cardwright', type: 'card' },
  rotateClientSecret: { overlapSeconds: 3600 },
  // Sandbox
  advanceSandboxClock: { advance: 'PT24H' },
};

/** Forms that send a file. `file` is the name of a file. */
export const FORM_EXAMPLES: Record<string, object> = {
  uploadCardholderFile: { file: 'passport.jpg' },
  uploadCardholderPhoto: { slot: 'idFrontImg', file: 'passport.jpg' },
  uploadKycDocument: { slot: 'idFrontImg', file: 'passport.jpg' },
};
