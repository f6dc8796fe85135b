namespace Harbor.Cargo;

public record Manifest(string Name = "");
public record struct Stamp(int Day);
public enum Kind { Dry, Wet }
public delegate Stamp Stamper<T>(T of);
public class RegisteredAttribute : System.Attribute { }
