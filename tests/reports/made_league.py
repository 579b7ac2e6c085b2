"""Made-up leagues in memory."""

from sqlalchemy.pool import StaticPool
from sqlmodel import Session, SQLModel, create_engine

from reports.made_league import Plan, add_league

__all__ = ["Plan", "add_league", "database"]


def database() -> Session:
    """An empty database in memory."""
    engine = create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False})
    SQLModel.metadata.create_all(engine)
    return Session(engine)
