// Keys of nobody: their private parts were thrown away as they were made. An assertion for which there is no key is verified by
// one of these, so that its refusal takes as long as that of one for which there is (SEC-1).
import type { KeyKind } from '../../db/keys/public-key.ts';

export const nobodysKeys = {
  Ed25519: { kty: 'OKP', crv: 'Ed25519', x: 'CMlbEkMns6YTk4zPEatxAXT2lydR4LZypUHeFXqkYuo' },
  'P-256': {
    kty: 'EC',
    crv: 'P-256',
    x: 'vkTSjujpqWCtjNXFe5P77sALgIUTsCeWXRORYovlOrk',
    y: 'ESb7SdBEsla5V_PaEE_nHEY6MUj3i4p8opG66c6nl00',
  },
  'P-384': {
    kty: 'EC',
    crv: 'P-384',
    x: 'DFfZZ7umqlJvYK5EyNPxAVN78DZa1UuPxwkNOSyCqD258f1BPl9suUCEmqvuN8La',
    y: 'F_jqip2A1dD23KFugH635U5J8PIuvWaodgM83g0U9j4e6tzcZQ3xtGTJI4ShoEa-',
  },
  RSA: {
    kty: 'RSA',
    n: 'rRHyXHFOZRt5TzLqLJnChSLW3OsYTFGwzHZ8M4cWWnXgSl2jwQkmbwF37dPFTNkA5YxTdu1dRZVI2YO0YK693xkiq3Qkdi9UidD9DYSg1QiScn0K081NOvb2RcNIOPYPy90AIEkwp2ZDXsbUu234KtHne20D6Clkx2_h2Op2v52crvIfajRsxFi1AYFXtoybC-_YRZAWmucyY0Lc8BBf6pMulOzYJaYPUdEelIDHSPdeTwWn-AZCoGe_kELuzV0vHN9eYtMyVNeUc-5gOiAviMxcIJaxwV9MX0viubf5X4TJ21pjAv-c4z4jw_xj49tOhI3vHE7LFvIrTI49QIMPaQ',
    e: 'AQAB',
  },
} as const satisfies Readonly<Record<KeyKind, Readonly<Record<string, string>>>>;
