"""The example in numbers of docs/integration.md: elements 5 and 6 of the vectors, and the registers, after passes 1 and 2. The test
rtl.core_file compares it with the page."""

ROWS = """
| 1 | u | `0000000` | `0000000` |
| 1 | r | `0FE0000` | `0000000` |
| 1 | p | `0FE0000` | `0000000` |
| 1 | q | `100AAAA` | `2FAAAAA` |
| 2 | u | `0FB0000` | `0000000` |
| 2 | r | `0DA0000` | `0F7FFFF` |
| 2 | p | `0F2001B` | `0F7FFFF` |
| 2 | q | `0DC4000` | `0FA9FFD` |
| 1 | RHO | `3FF0000000000000` |
| 1 | PQ | `4005555000000000` |
| 1 | QQ | `401CE37EE0000000` |
| 1 | ALPHA | `3FD8000600018000` |
| 1 | SIGMA | `3F8FFFBEFF5D7F36` |
| 1 | BETA | `3F8FFFBEFF5D7F36` |
| 2 | RHO | `3F8FFFF000800000` |
| 2 | PQ | `3FA4FFE4803C0000` |
| 2 | QQ | `3FBB8FC000510000` |
| 2 | ALPHA | `3FD86199D540BD5A` |
| 2 | SIGMA | `0000000000000000` |
| 2 | BETA | `0000000000000000` |
"""
