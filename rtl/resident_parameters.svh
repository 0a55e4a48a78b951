  // Parameters of fx_resident after those of fx_parameters.svh, for the core and its wrapper.
  , parameter integer MaxLength = 1089, ///< elements of a vector, of all cores together: the memories' size
  parameter integer OuterLanes = 1,    ///< elements that the outer unit takes a clock: a power of two up to Lanes
  parameter integer VW = 64,           ///< bits of words of V,
  parameter integer VF = 54,           ///< of which fraction
  parameter integer DW = 64,           ///< bits of words of D,
  parameter integer DF = 60,           ///< of which fraction
  parameter integer Cores = 1,         ///< cores that share a system (fx_residents), with Alone 0,
  parameter integer Core = 0           ///< and which of them this one is
