"""Protocol on the wire: message types and framing. Knows no rules of games, no pipes, no clocks.

Public modules, and what other floors may import from them:

    messages
        Act, ALL_PARTS, BadMessage, Bye, Choice, decode, encode, encode_into, Hello, LineBuffer,
        LineTooLong, Over, pack_info, Part, PROTOCOL, Ready, schema, SeatFault, Start, USUAL_PARTS
"""
