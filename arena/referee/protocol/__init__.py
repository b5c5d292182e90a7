"""Protocol on the wire: message types and framing. Knows no rules of games, no pipes, no clocks.

Public modules, and what other rooms may import from them:

    messages
        Act, ALL_PARTS, BadMessage, Bye, Choice, decode, encode, encode_into, Hello, LineBuffer,
        LineTooLong, MESSAGES, Over, pack_info, Part, PROTOCOL, Ready, SeatFault, Start,
        USUAL_PARTS
"""
