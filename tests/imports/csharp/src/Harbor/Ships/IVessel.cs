namespace Harbor.Ships
{
    public interface IVessel { string Name { get; } }
}
