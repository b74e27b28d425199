// Prices: rates, tiers, improvements, maxima and fees as they were quoted (FX-4, FX-8, QUO-2 to QUO-5, FEE-5).
import { amountsOfQuote, credited, rows, type Case } from './altered.ts';

export const quoteCases: readonly Case[] = [
  {
    title: 'a quote is rounded down',
    id: 'R:QUO-3',
    also: ['I-5', 'I-9', 'I-11'],
    alter: (draft) => {
      const { request, index } = amountsOfQuote(draft, credited(draft));
      const amounts = request['destination_amounts'] as string[];
      amounts[index] = String(Number(amounts[index]) - 0.01);
    },
  },
  {
    title: 'an improvement is left out of a quote',
    id: 'R:QUO-3',
    also: ['I-5'],
    alter: (draft) => {
      const { request, index } = amountsOfQuote(draft, credited(draft));
      (request['exchange_rates'] as string[])[index] = '25.1485801';
    },
  },
  {
    title: 'the rate of a tier is the base rate',
    id: 'R:FX-8',
    also: ['R:QUO-3', 'R:QUO-2'],
    alter: (draft) => {
      const tier = rows(draft, 'rates').find((one) => one['threshold'] === '50000');
      if (tier === undefined) throw new Error('there is none');
      const corridor = [
        'fxp_id',
        'source_country',
        'source_currency',
        'destination_country',
        'destination_currency',
      ];
      const base = rows(draft, 'rates').find(
        (one) => one['threshold'] === '0' && corridor.every((column) => one[column] === tier[column]),
      );
      tier['exchange_rate'] = base?.['exchange_rate'];
    },
  },
  {
    title: 'a rate that was replaced stays active',
    id: 'R:FX-4',
    also: ['R:QUO-3', 'R:QUO-2', 'R:FX-8'],
    alter: (draft) => {
      const replaced = rows(draft, 'rates').find((one) => one['expired_at'] !== null);
      Object.assign(replaced ?? {}, { expired_at: null });
    },
  },
];
