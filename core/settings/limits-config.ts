/**
 * How much one sender may ask for (SEC-7), and which proxies say for whom they ask. 0 is no limit.
 */
import { hostFault } from '../deliveries/host.ts';

export interface LimitsConfig {
  readonly senderLimits: SenderLimits;
  /** Addresses and networks whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
}

export interface SenderLimits {
  /** Of one client and route. */
  readonly requestsPerMinute: number;
  /** Of one client and route, where messages are taken or quotes given. */
  readonly messagesPerMinute: number;
  /** Of one client and address; of one address ten times as many. */
  readonly failedLoginsPerMinute: number;
  /** Payments of one source clearing system that have no final status. */
  readonly undecidedPayments: number;
  /** Millions of bytes of messages of one source clearing system in a day (UTC). */
  readonly megabytesPerDay: number;
}

/** Where nobody else asks: benchmarks, and what only reads the routes. */
export const unlimited: LimitsConfig = {
  senderLimits: {
    requestsPerMinute: 0,
    messagesPerMinute: 0,
    failedLoginsPerMinute: 0,
    undecidedPayments: 0,
    megabytesPerDay: 0,
  },
  trustedProxies: [],
};

export const limitVariables = {
  REQUESTS_PER_MINUTE: {
    description: 'Requests of one client to one route, over all apis (SEC-7); 0: any number',
    default: '12000',
  },
  MESSAGES_PER_MINUTE: {
    description: 'The same where messages are taken or quotes are given; 0: any number',
    default: '60000',
  },
  FAILED_LOGINS_PER_MINUTE: {
    description:
      'Wrong secrets of one client from one address, and ten times as many from one address (SEC-7); 0: any number',
    default: '10',
  },
  UNDECIDED_PAYMENTS: {
    description:
      'Payments of one source payment system without a final status, from which on it can make no new ones (SEC-7); 0: any number',
    default: '100000',
  },
  MEGABYTES_PER_DAY: {
    description:
      'Millions of bytes of pacs.008 and acmt.023 that are stored of one source payment system in a day (UTC), over all apis (OVL-2); 0: any number',
    default: '20000',
  },
  TRUSTED_PROXIES: {
    description:
      'Addresses and networks (10.0.0.0/8), separated by commas, whose X-Forwarded-For says for whom they ask (SEC-7); empty: nobody is believed',
    default: '',
  },
} as const;

type LimitVariable = keyof typeof limitVariables;

interface Settings {
  readonly read: (name: LimitVariable) => string;
  readonly refused: (name: LimitVariable, expected: string) => Error;
}

/** @throws what `refused` makes, for a setting that is no whole number */
export function parseLimits(settings: Settings): LimitsConfig {
  const number = (name: Exclude<LimitVariable, 'TRUSTED_PROXIES'>) => {
    const text = settings.read(name);
    if (!/^\d{1,9}$/.test(text)) throw settings.refused(name, 'a whole number, 0 to 999999999');
    return Number(text);
  };
  return {
    senderLimits: {
      requestsPerMinute: number('REQUESTS_PER_MINUTE'),
      messagesPerMinute: number('MESSAGES_PER_MINUTE'),
      failedLoginsPerMinute: number('FAILED_LOGINS_PER_MINUTE'),
      undecidedPayments: number('UNDECIDED_PAYMENTS'),
      megabytesPerDay: number('MEGABYTES_PER_DAY'),
    },
    trustedProxies: parseProxies(settings),
  };
}

function parseProxies({ read, refused }: Settings): readonly string[] {
  const list = read('TRUSTED_PROXIES');
  const networks = list === '' ? [] : list.split(',');
  if (networks.every(isNetwork)) return networks;
  const expected = 'addresses or networks such as 10.0.0.0/8 or fd00::/8, separated by commas alone';
  throw refused('TRUSTED_PROXIES', expected);
}

function isNetwork(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  const isV6 = address.includes(':');
  const isAddress = isV6
    ? hostFault(`[${address}]`) === undefined
    : /^\d+(\.\d+){3}$/.test(address) && hostFault(address) === undefined;
  const isMask = !text.includes('/') || (/^\d{1,3}$/.test(bits) && Number(bits) <= (isV6 ? 128 : 32));
  return isAddress && isMask && rest.length === 0;
}
