  // Bytes that an element takes in its stream: the last parameters of wrappers whose streams are whole bytes.
  , parameter integer UBytes = (UW + 7) / 8,
  parameter integer RBytes = (RW + 7) / 8,
  parameter integer PBytes = (PW + 7) / 8,
  parameter integer QBytes = (QW + 7) / 8,
  parameter integer CoefBytes = (CoefW + 7) / 8
