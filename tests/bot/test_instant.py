"""The bot of the measurements."""

from arena.bot import instant
from arena.v1 import arena_pb2 as pb


def test_every_question_of_a_frame_is_answered_with_its_first_legal_cards() -> None:
    passed = pb.Question(decision=1, ask=pb.ASK_PASS, count=3, legal=[pb.CARD_6C, pb.CARD_7C, pb.CARD_8C, pb.CARD_9C])
    played = pb.Question(decision=2, ask=pb.ASK_PLAY, count=1, legal=[pb.CARD_TC, pb.CARD_JC])
    messages = [pb.ArenaMessage(question=passed), pb.ArenaMessage(), pb.ArenaMessage(question=played)]
    messages.append(pb.ArenaMessage(ping=pb.Ping(nonce=4)))
    frame = instant.answers(pb.ArenaFrame(messages=messages).SerializeToString())
    assert [message.answer for message in frame.messages[:2]] == [
        pb.Answer(decision=1, cards=[pb.CARD_6C, pb.CARD_7C, pb.CARD_8C]),
        pb.Answer(decision=2, cards=[pb.CARD_TC]),
    ]
    assert frame.messages[2].pong.nonce == 4
