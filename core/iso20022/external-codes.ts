/**
 * The short lists of external codes that the rules name (MSG-4): what a customer's credit transfer can be for.
 * Left out are codes of collateral, securities lending and derivatives between institutions: no customer pays for those.
 */

const list = (...codes: readonly string[]): ReadonlySet<string> =>
  new Set(codes.flatMap((line) => line.split(' ')));

/** `Purp/Cd`. */
const purposeCodes = list(
  // cash management, finance
  'ACCT BCFG CASH CBCR CDBL CDCB CDCD CDCS CDDP CDEP CDOC CDQC COLL CSDB DEPT INTC INTE INTX LIMA NETT PDEP TREA WHLD',
  'AGRT AREN BCDM BEXP BKDF BKFE BKFM BKIP BKPP BOCE BOND BUSB CAFI CBLK CFEE COMC COMM COMP COST CPKC CPYR',
  // trade of goods and services
  'ADCS ADMG ADVA CSLP DBCR DICL LSFL MCDM MCFG OCDM OCFG TCSC AUCO BLDM CCIR CGDD CMDT CORT DNTS DSMT ENRG EXTD FACT FCOL FCPM FEES FERB FREX GAFA GDDS GDSV',
  'GSCB GSTX IDCP ICCP INVS IVPT LCOL LFEE LICF MDCS MSVC MTUP NITX NOWS NWCH NWCM OFEE OTLC POPE PTXP RAPI RCKE',
  'RCPT RDTX REBT REFU RENT REOD RHBS RIMB RMCO ROYA RRTP SCVE SERV SLPI SPLT SUBS SUPP TBAN TRAD VATX WEBI',
  // consumer, family, property
  'ALLW ALMY ANNI ANTS BECH BENE CCRD CHAR CLPR COMT DBTC DCRD DEBT DMEQ EDUC FAND GAHO GAMB GASB GIFT GOVI GWLT',
  'HLRP HLST HLTC HLTI HSPC HSTX ICRF INPC INPR INSC INSM INSU LBIN LBRI LIFI LMEQ LMFI LMRK LOAN LOAR LOTT LREB',
  'LREV LTCF MAFC MARF MOMA OTHR PADD PCOM PENO PHON PLDS PLRF PPTI PRCP PRME PTSP RELG RETL RINP SAVG STDY TRFD',
  // electronic and instant payments
  'CBTV CCHD DERI DIVD DVPM ECPG ECPR ECPU EPAY ETUP FLCR FNET GFRP GVEA GVEB GVEC GVED IHRP INTP IPAY IPCA IPDO',
  'IPEA IPEC IPEW IPPS IPRT IPU2 IPUW MP2B MP2P RRCT RVPM SASW SECU SEPI SLOA TELI UBIL VIEW',
  // salary, benefits, government, tax
  'AEMP BBSC BONU BR12 B112 CPEN CVCF ESTX GOVT HREC PAYR PEFC PENS RLWY RRBN SALA SPSP SSBE TAXR TAXS TLRF TLRR WTER',
  // transport, utilities, investment
  'AIRB AMEX BNET CABD CAEQ CBFF CBFR CFDI DEPD EFTC EFTD ELEC FXNT HEDG TBIL TRNC TRPT TRVC UNIT',
);

/** `PmtTpInf/CtgyPurp/Cd`. */
const categoryPurposeCodes = list(
  'BONU CASH CBLK CCRD CGWV CIPC CONC CORT CTDF DCRD DIVI DVPM EPAY FCDT FCIN FCOL GOVT GP2P HEDG ICCP IDCP INTC',
  'INTE LBOX LOAN MP2B MP2P OTHR PENS RPRE RRCT RVPM SALA SAVG SECU SSBE SUPP SWEP TAXS TOPG TRAD TREA VATX VOST',
  'WHLD ZABA',
);

export function isPurposeCode(code: string): boolean {
  return purposeCodes.has(code);
}

export function isCategoryPurposeCode(code: string): boolean {
  return categoryPurposeCodes.has(code);
}

/** For whoever publishes or checks the lists. */
export const knownCodes = { purpose: purposeCodes, categoryPurpose: categoryPurposeCodes } as const;
