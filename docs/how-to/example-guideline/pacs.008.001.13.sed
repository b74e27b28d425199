# Turns our schema of the pacs.008 into that of an example scheme. Run with `sed -f`.
s/Usage guideline of Isthmus for pacs.008.001.13: a restriction of the ISO 20022 message to what the scheme uses./Usage guideline of an example scheme: that of Isthmus, with the agents of the leg in GrpHdr, addresses of agents, and invoices./

# The agents of the leg in GrpHdr.
s/ PmtTpInf InstgAgt InstdAgt<\/xs:appinfo>/ PmtTpInf<\/xs:appinfo>/
/<xs:element name="SttlmInf" type="Settlement"\/>/a\
      <xs:element name="InstgAgt" type="Agent" minOccurs="0"/>\
      <xs:element name="InstdAgt" type="Agent" minOccurs="0"/>

# Addresses of agents: street, number and postal code.
/Where an agent is\./{
  s/ StrtNm BldgNb / /
  s/ PstCd / /
  n
  a\
      <xs:element name="StrtNm" type="Text140" minOccurs="0"/>\
      <xs:element name="BldgNb" type="Text16" minOccurs="0"/>\
      <xs:element name="PstCd" type="Text16" minOccurs="0"/>
}

# Up to ten invoices.
/What the payment is for, by reference\./{
  s/>RfrdDocInf />/
  n
  a\
      <xs:element name="RfrdDocInf" type="ReferredDocument" minOccurs="0" maxOccurs="10"/>
}
/<\/xs:schema>/i\
  <xs:complexType name="ReferredDocument">\
    <xs:annotation><xs:documentation>A document that the payment is about.</xs:documentation><xs:appinfo source="left-out">RltdDt LineDtls</xs:appinfo></xs:annotation>\
    <xs:sequence>\
      <xs:element name="Tp" type="DocumentType" minOccurs="0"/>\
      <xs:element name="Nb" type="Text35" minOccurs="0"/>\
    </xs:sequence>\
  </xs:complexType>\
  <xs:complexType name="DocumentType">\
    <xs:annotation><xs:documentation>Kind of document.</xs:documentation><xs:appinfo source="left-out">Issr</xs:appinfo></xs:annotation>\
    <xs:sequence>\
      <xs:element name="CdOrPrtry" type="DocumentKind"/>\
    </xs:sequence>\
  </xs:complexType>\
  <xs:complexType name="DocumentKind">\
    <xs:annotation><xs:documentation>Kind of document, by code.</xs:documentation><xs:appinfo source="left-out">Prtry</xs:appinfo></xs:annotation>\
    <xs:choice>\
      <xs:element name="Cd" type="DocumentCode"/>\
    </xs:choice>\
  </xs:complexType>\
  <xs:simpleType name="DocumentCode">\
    <xs:annotation><xs:documentation>Commercial invoice, credit note, debit note.</xs:documentation></xs:annotation>\
    <xs:restriction base="xs:string">\
      <xs:enumeration value="CINV"/>\
      <xs:enumeration value="CREN"/>\
      <xs:enumeration value="DEBN"/>\
    </xs:restriction>\
  </xs:simpleType>
