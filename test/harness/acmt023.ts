// The acmt.023 of a source operator: no process of ours builds one.
import type { Acmt023 } from '../../core/iso20022/acmt023.ts';
import { messages } from '../../core/iso20022/messages.ts';
import { buildAccount, buildAgent, type AgentIdentification } from '../../core/iso20022/parties.ts';
import { branch, leaf, optionalLeaf, renderDocument } from '../../core/iso20022/tree.ts';

/** What an original acmt.023 is built from. */
export interface OriginalAcmt023 extends Omit<Acmt023, 'request'> {
  /** Who asks: the source PSP. */
  readonly assigner: AgentIdentification;
  /** Name of the creditor, where the asker knows it. */
  readonly partyName?: string;
}

/** A new acmt.023 as a source operator submits it, as text. */
export function buildAcmt023(values: OriginalAcmt023): string {
  const { partyName, creditorAgent, destinationCountry } = values;
  const [id, proxy] = ['Id', 'Prxy'].map((name) =>
    buildAccount('Acct', values.account).children.find((one) => one.name === name),
  );
  const request = branch(
    messages.acmt023.messageElement,
    branch(
      'Assgnmt',
      leaf('MsgId', values.messageIdentification),
      leaf('CreDtTm', values.creationDateTime),
      buildAgent('FrstAgt', values.assigner),
      branch('Assgnr', buildAgent('Agt', values.assigner)),
      branch(
        'Assgne',
        branch('Agt', branch('FinInstnId', branch('PstlAdr', leaf('Ctry', destinationCountry)))),
      ),
    ),
    branch(
      'Vrfctn',
      leaf('Id', values.verificationId),
      branch(
        'PtyAndAcctId',
        partyName === undefined ? undefined : branch('Pty', leaf('Nm', partyName)),
        branch('Acct', id, optionalLeaf('Ccy', values.currency), proxy),
        creditorAgent && buildAgent('Agt', creditorAgent),
      ),
    ),
  );
  return renderDocument(messages.acmt023.namespace, branch('Document', request));
}
